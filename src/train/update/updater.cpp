#include "train/update/updater.h"

#include <torch/utils.h>

#include <algorithm>
#include <cmath>
#include <new>
#include <optional>
#include <stdexcept>
#include <utility>

#include "core/error.h"
#include "core/fault_point.h"
#include "core/random.h"
#include "nn/drawing.h"
#include "runtime/out_of_memory.h"
#include "train/objective/teacher_forcing.h"
#include "train/update/batch_messages.h"
#include "train/update/own_batches.h"

namespace attend::train {
namespace {

/// During its lifetime, random draws for the lines of a batch depend on the lines only and are the
/// same in any process.
class LineDraws {
 public:
  LineDraws(uint64_t seed, const char* purpose, const OwnBatches::Item& item)
      : seeds_(stream_seed(seed, purpose, item.number)), lines_(item.rows) {}

 private:
  nn::SeedScope seeds_;
  nn::LinesScope lines_;
};

/// The number of pairs of the largest batch.
int64_t largest(std::span<const data::Batch> batches) {
  int64_t most = 0;
  for (const data::Batch& batch : batches) most = std::max(most, batch.size());
  return most;
}

void set_losses(UpdateResult& result, const LossSums::Values& sums) {
  result.nll = sums[LossSums::nll];
  result.alignment = sums[LossSums::alignment];
  result.divergence = sums[LossSums::divergence];
  result.risk = sums[LossSums::risk];
}

}  // namespace

Updater::Updater(const model::Seq2Seq& model, const FlatParameters& parameters,
                 const TrainingOptions& options, DrawCandidates draw,
                 distributed::Communicator* peers)
    : model_(model),
      parameters_(parameters),
      gradient_memory_{parameters.values(), parameters.gradients()},
      execution_{.fused = options.kernels == decode::KernelKind::fused,
                 .bf16 = options.precision == Precision::bf16,
                 .recompute = options.recompute_layers,
                 .gradients = &gradient_memory_},
      loss_(options.label_smoothing, options.r_drop),
      risk_(options.mrt),
      draw_candidates_(std::move(draw)),
      guided_(options.guided_alignment),
      faithful_(options.attention_faithfulness),
      clip_norm_(options.clip_norm),
      splits_(options.on_out_of_memory == OnOutOfMemory::split && peers == nullptr),
      optimizer_(make_optimizer(options, parameters.values(),
                                shared_buffers(options, model.device(), peers).common)),
      reward_baseline_(model.options().attention, model.target_vocabulary()),
      peers_(peers) {
  if (execution_.bf16 && !model.device().is_cpu()) {
    rounded_ = std::make_unique<nn::RoundedWeights>(std::vector{parameters.values()});
    execution_.rounded = rounded_.get();
  }
  if (peers != nullptr) joint_ = make_joint_update(parameters, options, *peers);
  if (risk_.samples > 0 && !draw_candidates_)
    throw std::logic_error("minimum-risk training needs candidates");
}

UpdateResult Updater::update(const UpdateRequest& request) {
  nn::Execution execution = execution_;
  execution.device_path = nn::execution().device_path;
  const nn::ExecutionScope scope(execution);
  if (!model_.device().is_cpu()) torch::manual_seed(own_seed(request.dropout_seed));
  if (rounded_) rounded_->refresh();
  UpdateResult result;
  result.control_values = request.control_values;
  for (const data::Batch& batch : request.batches) {
    result.source_tokens += batch.source_tokens;
    result.target_tokens += batch.target_tokens;
    result.sentences += batch.size();
  }
  LossSums sums = accumulate_in_memory(request, result);
  result.parts = parts_;
  if (decides_on_device()) {
    finish_on_device(request, result, sums);
  } else {
    finish_here(request, result, sums);
  }
  if (result.applied) reward_baseline_.add(-result.nll / static_cast<double>(result.target_tokens));
  if (joint_) joint_->share();
  return result;
}

bool Updater::decides_on_device() const {
  return !joint_ && nn::has_device_forms(parameters_.values()) && optimizer_->decides_on_device();
}

double Updater::per_token(const UpdateResult& result) const {
  return 1.0 / (passes() * static_cast<double>(result.target_tokens));
}

void Updater::finish_here(const UpdateRequest& request, UpdateResult& result,
                          const LossSums& sums) {
  set_losses(result, sums.read());
  if (joint_) add_up(result);
  const double scale = per_token(result);
  result.gradient_norm = gradient_norm() * scale;
  result.applied = std::isfinite(result.nll) && std::isfinite(result.gradient_norm);
  if (!result.applied) {
    parameters_.gradients().zero_();
    return;
  }
  OptimizerStep step = step_for(request);
  step.gradient_scale = scale * clip_scale(result.gradient_norm, clip_norm_);
  optimizer_->apply(step);
}

void Updater::finish_on_device(const UpdateRequest& request, UpdateResult& result, LossSums& sums) {
  const torch::Tensor& gradients = parameters_.gradients();
  sums.add(LossSums::squares, at::dot(gradients, gradients), 1.0, /*stays=*/true);
  const torch::Tensor values = sums.there();
  Arrival arrival(values);  // starts before the optimiser, so that the host need not wait for that
  const double scale = per_token(result);
  const torch::Tensor norm = values[LossSums::squares].sqrt() * scale;
  OptimizerStep step = step_for(request);
  step.device_scale = clip_norm_ > 0.0 ? scale * (clip_norm_ / norm.clamp_min(clip_norm_))
                                       : torch::full({}, scale, norm.options());
  step.skipped = (values[LossSums::nll] + norm).isfinite().logical_not().to(torch::kFloat32);
  optimizer_->apply(step);
  sums.take(arrival.value());
  set_losses(result, sums.read());
  result.gradient_norm = std::sqrt(sums.read()[LossSums::squares]) * scale;
  result.applied = std::isfinite(result.nll + result.gradient_norm);
}

Part Updater::own_part() const {
  return joint_ ? joint_->part() : Part{0, parameters_.values().numel()};
}

double Updater::gradient_norm() {
  const double squares = sum_of_squares(own_part().of(parameters_.gradients()));
  return std::sqrt(joint_ ? joint_->sum_over_parts(squares) : squares);
}

OptimizerStep Updater::step_for(const UpdateRequest& request) const {
  const Part part = own_part();
  return {.values = part.of(parameters_.values()),
          .gradients = part.of(parameters_.gradients()),
          .update = request.applied + 1,
          .learning_rate = request.learning_rate,
          .begin = part.begin};
}

LossSums Updater::accumulate_in_memory(const UpdateRequest& request, const UpdateResult& result) {
  while (true) {
    try {
      LossSums sums;
      accumulate(request, result, sums);
      return sums;
    } catch (const std::exception& error) {
      if (!runtime::is_out_of_memory(error)) throw;
      parameters_.gradients().zero_();
      if (!splits_) throw MemoryError(out_of_memory_message(request.batches, peers_ != nullptr));
      if (parts_ >= largest(request.batches))
        throw MemoryError(no_memory_for_a_pair_message(request.batches));
    }
    parts_ *= 2;
  }
}

void Updater::accumulate(const UpdateRequest& request, const UpdateResult& result, LossSums& sums) {
  const OwnBatches own(request.batches, peers_, parts_);
  const bool has_risk = likelihood_share() < 1.0;
  std::size_t left = own.items().size() * (has_risk ? 2 : 1);  // backward passes
  const auto announce = [&] {
    if (--left == 0 && joint_) joint_->expect_last_pass();
  };
  for (const OwnBatches::Item& item : own.items()) {
    announce();
    const LineDraws draws(request.dropout_seed, "batch", item);
    accumulate_gradient(*item.batch, request, sums);
    if (fault_point("memory for a batch") != 0) throw std::bad_alloc();
  }
  if (!has_risk) return;
  for (const OwnBatches::Item& item : own.items()) {
    announce();
    const LineDraws draws(request.dropout_seed, "candidates", item);
    accumulate_risk(*item.batch, request, item.number, result, sums);
  }
}

uint64_t Updater::own_seed(uint64_t seed) const {
  if (peers_ == nullptr) return seed;
  return stream_seed(seed, "process", static_cast<uint64_t>(peers_->rank()));
}

void Updater::add_up(UpdateResult& result) {
  std::vector<double> sums = {result.nll, result.alignment, result.divergence, result.risk};
  sums.insert(sums.end(), result.control_values.begin(), result.control_values.end());
  joint_->add_up(sums);
  result.nll = sums[0];
  result.alignment = sums[1];
  result.divergence = sums[2];
  result.risk = sums[3];
  result.control_values.assign(sums.begin() + 4, sums.end());
}

double Updater::passes() const {
  return loss_.r_drop > 0.0 ? 2.0 : 1.0;
}

double Updater::likelihood_share() const {
  return risk_.samples > 0 ? risk_.nll : 1.0;
}

void Updater::accumulate_gradient(const data::Batch& batch, const UpdateRequest& request,
                                  LossSums& sums) const {
  // The likelihood's share scales the weights of the words, because the words' objective may not be
  // multiplied before it is differentiated.
  const double likelihood = likelihood_share();
  nn::LossOptions options = loss_;
  if (likelihood < 1.0)
    options.weights =
        torch::full({batch.target_tokens}, likelihood, parameters_.values().options());
  const GuidedLoss loss = guided_loss(model_, batch.to(model_.device()), options, guided_,
                                      reward_baseline_.value(), faithful_);
  torch::Tensor objective = loss.words.objective;
  if (loss.alignment.defined())
    objective = objective + likelihood * request.alignment_weight * loss.alignment;
  if (loss.faithfulness.defined())
    objective = objective - likelihood * faithful_.weight * loss.faithfulness;
  if (loss.draws.defined()) objective = objective + likelihood * loss.draws;
  objective.backward();
  const double share = 1.0 / passes();
  const bool stays = decides_on_device();
  sums.add(LossSums::nll, loss.words.nll, share, stays);
  if (loss.alignment.defined()) sums.add(LossSums::alignment, loss.alignment, share, stays);
  if (loss.words.divergence.defined())
    sums.add(LossSums::divergence, loss.words.divergence, share, stays);
}

void Updater::accumulate_risk(const data::Batch& batch, const UpdateRequest& request,
                              uint64_t number, const UpdateResult& result, LossSums& sums) const {
  const uint64_t seed = stream_seed(request.sampling_seed, "minimum risk", number);
  const RiskCandidates candidates = draw_candidates_(batch, seed);
  // At the end, all gradients are divided by the number of target tokens.
  const double scale = (1.0 - risk_.nll) * static_cast<double>(result.target_tokens) /
                       static_cast<double>(result.sentences);
  const Risk risk = expected_risk(model_, batch.reading().to(model_.device()), candidates,
                                  {risk_.sharpness, risk_.length_penalty, scale});
  risk.objective.backward();
  sums.add(LossSums::risk, risk.expected);
}

}  // namespace attend::train
