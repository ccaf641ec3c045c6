#pragma once
#include "data/batch.h"
#include "model/encoded.h"
#include "model/seq2seq.h"
#include "train/options.h"

namespace attend::train {

/// What the attention adds to the probability of the target, summed over its real tokens:
///   sum_t p(y[t] | y[<t], x) - p(y[t] | y[<t], x, replaced weights at t),
/// differentiable in both terms. Raising it rewards decisions that depend on the weights, after the
/// probability divergence of Moradi, Kambhatla & Sarkar (2021, EACL). States before t have the
/// model's own weights. Every head of every layer is replaced. Steps are computed one after another
/// by plain operations: kernels read no given weights. Requires: attention to a single source with
/// one weight for a position, of a single layer for `without_largest`.
[[nodiscard]] torch::Tensor attention_gain(const model::Seq2Seq& model,
                                           const model::Encoded& encoded, const data::Batch& batch,
                                           WeightReplacement replacement);

}  // namespace attend::train
