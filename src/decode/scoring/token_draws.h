#pragma once
#include <torch/types.h>

#include <cstdint>
#include <span>

#include "core/random.h"
#include "decode/options.h"
#include "decode/scoring/row_scores.h"

namespace attend::decode {

/// The number of draws from a row, and their generator.
struct Draws {
  int64_t count = 0;
  Random* random = nullptr;
};

/// Draws tokens for each row of [N, V] from softmax(logits / temperature), cut to top-k and then
/// top-p (Holtzman et al. 2020, arXiv 1904.09751). Each token uses one number of the generator.
/// `wanted` stays empty; `log_probs` holds the model's own logits, for normalize().
[[nodiscard]] RowScores draw(const torch::Tensor& logits, std::span<const Draws> draws,
                             const SamplingOptions& options);

}  // namespace attend::decode
