#pragma once
#include <torch/types.h>

#include <span>
#include <vector>

#include "data/batch.h"
#include "model/seq2seq.h"

namespace attend::decode {

/// The attention of each target token once the token itself is known:
///   a[t, s] = w[t, s] p(y[t] | y[<t], x, s) / sum_i w[t, i] p(y[t] | y[<t], x, i),
/// w the model's attention and p(. | s) its prediction where it attends to position s alone: Bayes'
/// rule for the alignment as a hidden variable (IBM Model 2, Brown et al. 1993, with a network for
/// both of its tables; posterior attention, Shankar & Sarawagi 2019, ICLR). The attention alone has
/// to guess which token comes next, the posterior need not. The decoder's state before t is that of
/// the model's own, soft attention. Positions with less than a thousandth of the heaviest w[t, .]
/// count as 0.
///
/// `targets` without kBos and kEos (may be empty). Per pair a [T + 1, S] float tensor on the CPU,
/// as ForcedDecoding::attention, of rows that sum to 1, or are 0 where the attention is. Throws
/// std::logic_error if `model` is in training mode or has no attention, or if the sizes differ.
[[nodiscard]] std::vector<torch::Tensor> posterior(
    const model::Seq2Seq& model, const data::SentenceBatch& source,
    std::span<const std::vector<text::TokenId>> targets);

}  // namespace attend::decode
