#pragma once
#include <torch/types.h>

#include "nn/parameters.h"

namespace attend::nn {

/// How energies become weights.
class AttentionDistribution : public Block {
 public:
  /// energies [N, T, S], mask [N, 1 or T, S] bool (true = may get weight) -> weights [N, T, S]: >=
  /// 0, exactly 0 where the mask is false, all zero (never NaN) where a row's mask is false
  /// everywhere.
  [[nodiscard]] virtual torch::Tensor weights(const torch::Tensor& energies,
                                              const torch::Tensor& mask) const = 0;
};

}  // namespace attend::nn
