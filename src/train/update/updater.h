#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "data/batch.h"
#include "distributed/communicator.h"
#include "model/seq2seq.h"
#include "nn/device/rounded_weights.h"
#include "nn/execution.h"
#include "train/objective/reinforce.h"
#include "train/objective/risk.h"
#include "train/options.h"
#include "train/together/joint_update.h"
#include "train/update/flat_parameters.h"
#include "train/update/loss_sums.h"
#include "train/update/optimizer.h"

namespace attend::train {

/// The input of an update.
struct UpdateRequest {
  std::span<const data::Batch> batches;  // gradients are summed over them and over all processes
  double learning_rate = 0.0;
  int64_t applied = 0;            // applied updates so far
  uint64_t dropout_seed = 1;      // seed of dropout and other noise
  double alignment_weight = 0.0;  // weight of the attention's loss if the batches have goals
  uint64_t sampling_seed = 1;     // seed of minimum-risk training's draws
  std::vector<double> control_values = {};  // summed over all processes together with the losses
};

/// The result of an update.
struct UpdateResult {
  double nll = 0.0;         // nats, -log p of all target tokens before the update
  double alignment = 0.0;   // the attention's loss, summed, without its weight
  double divergence = 0.0;  // R-Drop: (KL(1 || 2) + KL(2 || 1)) / 2 of its two passes, summed
  double risk = 0.0;        // minimum-risk training: expected cost, summed over sentences
  int64_t sentences = 0;
  int64_t source_tokens = 0;           // kEos included
  int64_t target_tokens = 0;           // kEos included
  double gradient_norm = 0.0;          // of the objective per target token, before clipping
  int64_t parts = 1;                   // in which each batch was computed, see update()
  bool applied = true;                 // false: a value was not finite, and nothing was changed
  std::vector<double> control_values;  // those of the request, summed over all processes
};

/// Computes the gradient of the objective over one or more batches, clips it and lets the optimiser
/// change the parameters. The objective is the label-smoothed loss of the words plus, if the
/// batches have goals, the weighted loss of the attention, both summed over the batches and divided
/// by the number of target tokens. attention_gain(), with its weight, is subtracted before.
/// Attention that draws positions adds reinforce_objective(). With R-Drop all of this is the mean
/// over two passes with different dropout, and half of alpha times their divergence is added. That
/// is half the objective of Liang et al. (2021), Eq. 4, so that learning rate and clipping keep
/// their meaning. In minimum-risk training all this has the weight mrt.nll, and the expected cost
/// per sentence the weight 1 - mrt.nll.
///
/// With several processes each computes its share of every batch (share_of()), and losses and
/// gradients are summed (JointUpdate; with messages while the last backward pass still runs).
/// The objective and the change of the parameters do not depend on the number of processes. Nor do
/// random draws (dropout, candidates), which depend on the update and the line (nn/drawing.h); but
/// on a GPU dropout depends on the update and the process.
class Updater {
 public:
  /// Requires: the parameters of `model` are views of `parameters`. Both must outlive this object.
  /// `draw` is required for minimum-risk training. `peers` is borrowed; null: only this process.
  Updater(const model::Seq2Seq& model, const FlatParameters& parameters,
          const TrainingOptions& options, DrawCandidates draw = {},
          distributed::Communicator* peers = nullptr);
  Updater(const Updater&) = delete;
  Updater& operator=(const Updater&) = delete;

  /// Requires: the model is in training mode, and there is at least one batch. Gradients are zero
  /// before and after. If memory runs out, training.on_out_of_memory: split computes the batches
  /// of this and all later updates in twice as many parts, which changes results by rounding, and
  /// on a GPU by other draws. Throws MemoryError if this is switched off, impossible because
  /// several processes add up their gradients meanwhile, or not enough.
  [[nodiscard]] UpdateResult update(const UpdateRequest& request);

  [[nodiscard]] const Optimizer& optimizer() const { return *optimizer_; }
  /// The reward baseline, which like the optimiser carries over from update to update.
  [[nodiscard]] const RewardBaseline& reward_baseline() const { return reward_baseline_; }

 private:
  /// Forward passes per batch (2 with R-Drop).
  [[nodiscard]] double passes() const;
  /// The weight of the usual objective: mrt.nll in minimum-risk training, otherwise 1.
  [[nodiscard]] double likelihood_share() const;
  /// accumulate() in as many parts as memory demands.
  [[nodiscard]] LossSums accumulate_in_memory(const UpdateRequest& request,
                                              const UpdateResult& result);
  void accumulate(const UpdateRequest& request, const UpdateResult& result, LossSums& sums);
  void accumulate_gradient(const data::Batch& batch, const UpdateRequest& request,
                           LossSums& sums) const;
  /// Accumulates the gradient of the risk of `batch`, which is batch `number` of the update.
  void accumulate_risk(const data::Batch& batch, const UpdateRequest& request, uint64_t number,
                       const UpdateResult& result, LossSums& sums) const;
  /// True if losses stay on a GPU, which decides about clipping and skipping itself.
  [[nodiscard]] bool decides_on_device() const;
  /// Sets the losses of `result`, decides about the update and changes the parameters.
  void finish_here(const UpdateRequest& request, UpdateResult& result, const LossSums& sums);
  /// The same, but the GPU decides, and the host reads the decision while the optimiser runs.
  void finish_on_device(const UpdateRequest& request, UpdateResult& result, LossSums& sums);
  /// The factor that makes the gradients those of the objective per target token.
  [[nodiscard]] double per_token(const UpdateResult& result) const;
  /// The seed of LibTorch's generator. On a GPU, where draws do not depend on lines, each process
  /// has its own.
  [[nodiscard]] uint64_t own_seed(uint64_t seed) const;
  /// Sums the results of all processes.
  void add_up(UpdateResult& result);
  /// The part of the parameters that this process changes.
  [[nodiscard]] Part own_part() const;
  /// The norm of the gradients of all parameters.
  [[nodiscard]] double gradient_norm();
  /// The input of the optimiser, without the factors of the gradients.
  [[nodiscard]] OptimizerStep step_for(const UpdateRequest& request) const;

  const model::Seq2Seq& model_;
  const FlatParameters& parameters_;
  nn::GradientMemory gradient_memory_;
  std::unique_ptr<nn::RoundedWeights> rounded_;  // null unless a GPU computes in bf16
  nn::Execution execution_;
  nn::LossOptions loss_;
  MinimumRiskOptions risk_;
  DrawCandidates draw_candidates_;
  GuidedAlignmentOptions guided_;
  FaithfulnessOptions faithful_;
  double clip_norm_;
  bool splits_;        // computes batches in more parts if memory runs out
  int64_t parts_ = 1;  // in which each batch is computed
  std::unique_ptr<Optimizer> optimizer_;
  RewardBaseline reward_baseline_;
  distributed::Communicator* peers_;
  std::unique_ptr<JointUpdate> joint_;  // null: only this process
};

}  // namespace attend::train
