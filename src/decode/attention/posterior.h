#pragma once
#include <torch/types.h>

#include <span>
#include <vector>

#include "data/batch.h"
#include "model/seq2seq.h"

namespace attend::decode {

/// The attention of each target token given that token:
///   a[t, s] = w[t, s] p(y[t] | y[<t], x, s) / sum_i w[t, i] p(y[t] | y[<t], x, i),
/// where w is the model's attention and p(. | s) its prediction if it attends to position s alone:
/// Bayes' rule with the alignment as a hidden variable (IBM Model 2, Brown et al. 1993, with a
/// network for both of its tables; posterior attention, Shankar & Sarawagi 2019, ICLR). Attention
/// must guess the next token; the posterior knows it. The decoder's state before t is computed with
/// the model's own soft attention. Positions with less than a thousandth of the largest w[t, .]
/// count as 0.
///
/// `targets` are without kBos and kEos (may be empty). Returns per pair a [T + 1, S] float tensor
/// on the CPU, like ForcedDecoding::attention; each row sums to 1, or is 0 where the attention is
/// 0. Throws std::logic_error if `model` is in training mode or has no attention, or if the sizes
/// differ.
[[nodiscard]] std::vector<torch::Tensor> posterior(
    const model::Seq2Seq& model, const data::SentenceBatch& source,
    std::span<const std::vector<text::TokenId>> targets);

/// The posterior of other words than the target's: row t of the result, [T + 1, S], is that of
/// words[t] after the first t tokens of `target`. Both are without kBos and kEos, `source` without
/// kEos; `words` has one token more than `target`. Throws what posterior() throws.
[[nodiscard]] torch::Tensor posterior_of_words(const model::Seq2Seq& model,
                                               const std::vector<text::TokenId>& source,
                                               const std::vector<text::TokenId>& target,
                                               std::span<const text::TokenId> words);

}  // namespace attend::decode
