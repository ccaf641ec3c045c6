#pragma once
#include <torch/types.h>

#include <cstdint>
#include <span>
#include <vector>

#include "text/vocabulary.h"

namespace attend::decode {

/// Removes the padding from the weights [..., T, S] of a pair. Returns [..., target_length,
/// source_length], float on the CPU.
[[nodiscard]] torch::Tensor real_part(const torch::Tensor& weights, int64_t target_length,
                                      int64_t source_length);

/// Removes the padding from the weights [B, ..., T, S] of each layer, for pair `row` of the batch,
/// as real_part() does. Throws NumericError if a value is not finite.
[[nodiscard]] std::vector<torch::Tensor> real_layers(std::span<const torch::Tensor> layers,
                                                     int64_t row, int64_t target_length,
                                                     int64_t source_length);

/// Removes the padding from the maps [B, T, S] of a batch. Returns one map per pair, in the form of
/// ForcedDecoding::attention: a row for each token of targets[i] and one for kEos, a column for
/// each of the source_lengths[i] ([B] int64) positions. Throws NumericError if a value is not
/// finite.
[[nodiscard]] std::vector<torch::Tensor> real_parts(
    const torch::Tensor& maps, std::span<const std::vector<text::TokenId>> targets,
    const torch::Tensor& source_lengths);

}  // namespace attend::decode
