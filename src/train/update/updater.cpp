#include "train/update/updater.h"

#include <torch/utils.h>

#include <cmath>
#include <optional>
#include <stdexcept>
#include <utility>

#include "core/random.h"
#include "nn/drawing.h"
#include "train/objective/teacher_forcing.h"
#include "train/together/batch_share.h"

namespace attend::train {
namespace {

/// This process' share of the batches of an update.
class OwnBatches {
 public:
  OwnBatches(std::span<const data::Batch> batches, const distributed::Communicator* peers) {
    if (peers != nullptr) shares_.reserve(batches.size());
    for (std::size_t i = 0; i < batches.size(); ++i) {
      if (peers == nullptr) {
        batches_.push_back({&batches[i], i, torch::arange(batches[i].size())});
      } else if (auto share = share_of(batches[i], peers->rank(), peers->size())) {
        const Share& own = shares_.emplace_back(*std::move(share));
        batches_.push_back({&own.batch, i, own.rows});
      }
    }
  }

  struct Item {
    const data::Batch* batch;
    uint64_t number;     // number in the update
    torch::Tensor rows;  // [b] int64: its rows in the whole batch
  };
  [[nodiscard]] const std::vector<Item>& items() const { return batches_; }

 private:
  std::vector<Share> shares_;
  std::vector<Item> batches_;
};

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
      clip_norm_(options.clip_norm),
      optimizer_(make_optimizer(options, parameters.values(),
                                shared_buffers(options, model.device(), peers).common)),
      reward_baseline_(model.options().attention, model.target_vocabulary()),
      peers_(peers) {
  if (peers != nullptr) joint_ = make_joint_update(parameters, options, *peers);
  if (risk_.samples > 0 && !draw_candidates_)
    throw std::logic_error("minimum-risk training needs candidates");
}

UpdateResult Updater::update(const UpdateRequest& request) {
  const nn::ExecutionScope scope(execution_);
  if (!model_.device().is_cpu()) torch::manual_seed(own_seed(request.dropout_seed));
  UpdateResult result;
  result.control_values = request.control_values;
  for (const data::Batch& batch : request.batches) {
    result.source_tokens += batch.source_tokens;
    result.target_tokens += batch.target_tokens;
    result.sentences += batch.size();
  }
  accumulate(request, result);
  if (joint_) add_up(result);
  const double per_token = 1.0 / (passes() * static_cast<double>(result.target_tokens));
  result.gradient_norm = gradient_norm() * per_token;
  result.applied = std::isfinite(result.nll) && std::isfinite(result.gradient_norm);
  if (result.applied) {
    change(request, per_token * clip_scale(result.gradient_norm, clip_norm_));
    reward_baseline_.add(-result.nll / static_cast<double>(result.target_tokens));
  } else {
    parameters_.gradients().zero_();
  }
  if (joint_) joint_->share();
  return result;
}

Part Updater::own_part() const {
  return joint_ ? joint_->part() : Part{0, parameters_.values().numel()};
}

double Updater::gradient_norm() {
  const double squares = sum_of_squares(own_part().of(parameters_.gradients()));
  return std::sqrt(joint_ ? joint_->sum_over_parts(squares) : squares);
}

void Updater::change(const UpdateRequest& request, double gradient_scale) {
  const Part part = own_part();
  optimizer_->apply({.values = part.of(parameters_.values()),
                     .gradients = part.of(parameters_.gradients()),
                     .update = request.applied + 1,
                     .learning_rate = request.learning_rate,
                     .gradient_scale = gradient_scale,
                     .begin = part.begin});
}

void Updater::accumulate(const UpdateRequest& request, UpdateResult& result) {
  const OwnBatches own(request.batches, peers_);
  const bool has_risk = likelihood_share() < 1.0;
  std::size_t left = own.items().size() * (has_risk ? 2 : 1);  // backward passes
  const auto announce = [&] {
    if (--left == 0 && joint_) joint_->expect_last_pass();
  };
  for (const OwnBatches::Item& item : own.items()) {
    announce();
    const LineDraws draws(request.dropout_seed, "batch", item);
    accumulate_gradient(*item.batch, request, result);
  }
  if (!has_risk) return;
  for (const OwnBatches::Item& item : own.items()) {
    announce();
    const LineDraws draws(request.dropout_seed, "candidates", item);
    accumulate_risk(*item.batch, request, item.number, result);
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
                                  UpdateResult& result) const {
  // The likelihood's share scales the weights of the words, because the words' objective may not be
  // multiplied before it is differentiated.
  const double likelihood = likelihood_share();
  nn::LossOptions options = loss_;
  if (likelihood < 1.0)
    options.weights =
        torch::full({batch.target_tokens}, likelihood, parameters_.values().options());
  const GuidedLoss loss =
      guided_loss(model_, batch.to(model_.device()), options, guided_, reward_baseline_.value());
  torch::Tensor objective = loss.words.objective;
  if (loss.alignment.defined())
    objective = objective + likelihood * request.alignment_weight * loss.alignment;
  if (loss.draws.defined()) objective = objective + likelihood * loss.draws;
  objective.backward();
  const double share = 1.0 / passes();
  result.nll += share * loss.words.nll.item<double>();
  if (loss.alignment.defined()) result.alignment += share * loss.alignment.item<double>();
  if (loss.words.divergence.defined())
    result.divergence += share * loss.words.divergence.item<double>();
}

void Updater::accumulate_risk(const data::Batch& batch, const UpdateRequest& request,
                              uint64_t number, UpdateResult& result) const {
  const uint64_t seed = stream_seed(request.sampling_seed, "minimum risk", number);
  const RiskCandidates candidates = draw_candidates_(batch, seed);
  // At the end, all gradients are divided by the number of target tokens.
  const double scale = (1.0 - risk_.nll) * static_cast<double>(result.target_tokens) /
                       static_cast<double>(result.sentences);
  const Risk risk = expected_risk(model_, batch.reading().to(model_.device()), candidates,
                                  {risk_.sharpness, risk_.length_penalty, scale});
  risk.objective.backward();
  result.risk += risk.expected;
}

}  // namespace attend::train
