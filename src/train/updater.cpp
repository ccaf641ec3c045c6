#include "train/updater.h"

#include <torch/utils.h>

#include <cmath>

#include "train/teacher_forcing.h"

namespace attend::train {

Updater::Updater(const model::Seq2Seq& model, const FlatParameters& parameters,
                 const TrainingOptions& options)
    : model_(model),
      parameters_(parameters),
      gradient_memory_{parameters.values(), parameters.gradients()},
      execution_{.fused = options.kernels == "fused",
                 .bf16 = options.precision == "bf16",
                 .gradients = &gradient_memory_},
      label_smoothing_(options.label_smoothing),
      guided_(options.guided_alignment),
      clip_norm_(options.clip_norm),
      optimizer_(make_optimizer(options, parameters.values())),
      reward_baseline_(model.options().attention, model.target_vocabulary()) {}

UpdateResult Updater::update(const UpdateRequest& request) {
  const nn::ExecutionScope scope(execution_);
  torch::manual_seed(request.dropout_seed);
  UpdateResult result;
  for (const data::Batch& batch : request.batches) {
    result.source_tokens += batch.source_tokens;
    result.target_tokens += batch.target_tokens;
  }
  for (const data::Batch& batch : request.batches) {
    accumulate_gradient(batch, request, result);
  }
  const double per_token = 1.0 / static_cast<double>(result.target_tokens);
  result.gradient_norm = euclidean_norm(parameters_.gradients()) * per_token;
  result.applied = std::isfinite(result.nll) && std::isfinite(result.gradient_norm);
  if (result.applied) {
    optimizer_->apply({parameters_.values(), parameters_.gradients(), request.applied + 1,
                       request.learning_rate,
                       per_token * clip_scale(result.gradient_norm, clip_norm_)});
    reward_baseline_.add(-result.nll / static_cast<double>(result.target_tokens));
  } else {
    parameters_.gradients().zero_();
  }
  return result;
}

void Updater::accumulate_gradient(const data::Batch& batch, const UpdateRequest& request,
                                  UpdateResult& result) const {
  const GuidedLoss loss = guided_loss(model_, batch.to(model_.device()), label_smoothing_, guided_,
                                      reward_baseline_.value());
  torch::Tensor objective = loss.words.objective;
  if (loss.alignment.defined()) objective = objective + request.alignment_weight * loss.alignment;
  if (loss.draws.defined()) objective = objective + loss.draws;
  objective.backward();
  result.nll += loss.words.nll.item<double>();
  if (loss.alignment.defined()) result.alignment += loss.alignment.item<double>();
}

}  // namespace attend::train
