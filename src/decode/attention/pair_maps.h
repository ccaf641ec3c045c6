#pragma once
#include <torch/types.h>

#include <cstdint>
#include <span>
#include <vector>

#include "text/vocabulary.h"

namespace attend::decode {

/// Cuts weights [..., T, S] of a padded pair to its real positions: [..., target_length,
/// source_length], float on the CPU.
[[nodiscard]] torch::Tensor real_part(const torch::Tensor& weights, int64_t target_length,
                                      int64_t source_length);

/// Returns the real part of each pair's map (`maps`: [B, T, S]) in the form of
/// ForcedDecoding::attention: a row for each token of targets[i] and one for kEos, a column for
/// each of the source_lengths[i] ([B] int64) positions. Throws NumericError if a value is not
/// finite.
[[nodiscard]] std::vector<torch::Tensor> real_parts(
    const torch::Tensor& maps, std::span<const std::vector<text::TokenId>> targets,
    const torch::Tensor& source_lengths);

}  // namespace attend::decode
