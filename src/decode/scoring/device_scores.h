#pragma once
#include <torch/types.h>

#include <span>

#include "decode/scoring/row_scores.h"

namespace attend::decode {

/// The scores of a step on a GPU, copied to the CPU at once.
class DeviceScores {
 public:
  /// Normalises logits [N, V] and remembers the log-probabilities of the wanted columns ([N] int64,
  /// on the device of the logits).
  DeviceScores(const torch::Tensor& logits, const torch::Tensor& wanted);

  /// [N, V], in which columns may be forbidden (-infinity) before take().
  [[nodiscard]] torch::Tensor& log_probs() { return log_probs_; }

  /// The `width` most probable columns of each row, like most_probable() with normalize(). Throws
  /// NumericError if a row n with alive[n] is not finite.
  [[nodiscard]] RowScores take(int64_t width, std::span<const char> alive) const;

 private:
  torch::Tensor log_probs_;  // [N, V]
  torch::Tensor wanted_;     // [N, 1]
  torch::Tensor sample_;     // [N, 1]: not a number if the row is not finite
};

}  // namespace attend::decode
