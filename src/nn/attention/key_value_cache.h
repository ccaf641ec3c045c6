#pragma once
#include <torch/types.h>

namespace attend::nn {

/// What a self-attention keeps of the positions so far, so that each is projected once. A value;
/// rows are hypotheses. Without tensors: no position yet.
struct KeyValueCache {
  torch::Tensor keys;    // [N, heads, t, *] as the score prepared them
  torch::Tensor values;  // [N, heads, t, C / heads]

  /// t.
  [[nodiscard]] int64_t length() const;
  /// Row i of the result is row rows[i] ([N'] int64) of this one.
  [[nodiscard]] KeyValueCache select(const torch::Tensor& rows) const;
  /// With further positions behind those that there are.
  [[nodiscard]] KeyValueCache extended(const KeyValueCache& more) const;
};

}  // namespace attend::nn
