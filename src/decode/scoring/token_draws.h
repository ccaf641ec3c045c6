#pragma once
#include <torch/types.h>

#include <cstdint>
#include <span>

#include "core/random.h"
#include "decode/options.h"
#include "decode/scoring/row_scores.h"

namespace attend::decode {

/// How often to draw from a row, and with which generator.
struct Draws {
  int64_t count = 0;
  Random* random = nullptr;
};

/// Draws tokens for each row of [N, V] from softmax(logits / temperature), cut to top-k and then
/// top-p (Holtzman et al. 2020, arXiv 1904.09751). One number of the generator makes one token.
/// `wanted` is left empty; `log_probs` holds the model's own logits, for normalize().
[[nodiscard]] RowScores draw(const torch::Tensor& logits, std::span<const Draws> draws,
                             const SamplingOptions& options);

}  // namespace attend::decode
