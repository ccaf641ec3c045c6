#pragma once
#include <torch/types.h>

namespace attend::nn {

/// Keys and values of the positions so far, so that self-attention projects each position once. A
/// value type whose rows are hypotheses. The tensors are undefined before the first position.
struct KeyValueCache {
  torch::Tensor keys;    // [N, heads, t, *] as prepared by the score
  torch::Tensor values;  // [N, heads, t, C / heads]

  /// Number of positions t.
  [[nodiscard]] int64_t length() const;
  /// Row i of the result is row rows[i] ([N'] int64) of this cache.
  [[nodiscard]] KeyValueCache select(const torch::Tensor& rows) const;
  /// Appends the positions of `more`.
  [[nodiscard]] KeyValueCache extended(const KeyValueCache& more) const;
};

}  // namespace attend::nn
