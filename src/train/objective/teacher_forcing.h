#pragma once
#include "data/batch.h"
#include "model/seq2seq.h"
#include "nn/loss.h"
#include "train/options.h"

namespace attend::train {

/// The loss of a batch when the decoder reads the reference. Logits are computed only for positions
/// that are not padding. Requires: the batch is on the model's device.
[[nodiscard]] nn::CrossEntropy teacher_forced_loss(const model::Seq2Seq& model,
                                                   const data::Batch& batch,
                                                   double label_smoothing);

/// The loss of the words, and the losses of the attention.
struct GuidedLoss {
  nn::CrossEntropy words;
  torch::Tensor alignment;  // scalar, differentiable, summed as in alignment_loss(); undefined if
                            // the batch has no goals
  torch::Tensor
      faithfulness;     // scalar, differentiable: attention_gain(); undefined unless asked for
  torch::Tensor draws;  // scalar, differentiable: reinforce_objective(); undefined unless the
                        // attention drew positions
};

/// Computes the losses. With R-Drop each sentence is computed twice in one pass, with different
/// dropout, and all sums are over both results. The goals of a token are for attention head
/// `guided.head` (0: the mean over the heads), `guided.shift` decoding steps after the token's own
/// step. Throws std::logic_error if the batch has goals but the model has no attention.
/// `reward_baseline` is subtracted from the rewards of draws. `faithful` asks for `faithfulness` by
/// a weight above 0.
[[nodiscard]] GuidedLoss guided_loss(const model::Seq2Seq& model, const data::Batch& batch,
                                     const nn::LossOptions& options,
                                     const GuidedAlignmentOptions& guided,
                                     double reward_baseline = 0.0,
                                     const FaithfulnessOptions& faithful = {});

}  // namespace attend::train
