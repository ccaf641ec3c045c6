#pragma once
#include <torch/types.h>

#include <span>
#include <vector>

#include "data/batch.h"
#include "decode/attention/attention_maps.h"
#include "model/seq2seq.h"

namespace attend::decode {

/// What each source position contributes to the attention of a Transformer's decoder: the norm of
/// the vector that it adds to the attention's output (nn::Attention::contributions()), as a share
/// of the row. A position with a large weight but a small value contributes little (Kobayashi et
/// al. 2020, arXiv 2004.10102).
///
/// `targets` are without kBos and kEos (may be empty). Returns for each pair and layer, lowest
/// first, a [1 + heads, T + 1, S] float tensor on the CPU: all heads together, then each head. Rows
/// sum to 1, or are 0 where the norms are. Throws std::logic_error if `model` is in training mode,
/// has no contributions (Seq2Seq::has_contributions()), or if the sizes differ.
[[nodiscard]] std::vector<std::vector<torch::Tensor>> contributions(
    const model::Seq2Seq& model, const data::SentenceBatch& source,
    std::span<const std::vector<text::TokenId>> targets);

/// contributions() of one layer and head for each pair, [T + 1, S]; head 0 is all heads together.
/// Requires: the layer and head exist.
[[nodiscard]] std::vector<torch::Tensor> contributions(
    const model::Seq2Seq& model, const data::SentenceBatch& source,
    std::span<const std::vector<text::TokenId>> targets, const CrossMap& choice);

}  // namespace attend::decode
