#pragma once
#include <torch/types.h>

#include "nn/attention/memory.h"
#include "nn/parameters.h"

namespace attend::nn {

/// Energies with the positions that may get weight.
struct Scoped {
  torch::Tensor energies;  // [N, T, S]
  torch::Tensor mask;      // [N, 1 or T, S] bool, true = may get weight
  torch::Tensor factor;  // [N, T, S] multiplies the weights after the distribution; undefined: none
};

/// Which source positions a query may see.
class AttentionScope : public Block {
 public:
  /// energies [N, T, S], query [N, T, H]; `position` is the target position of the first query.
  [[nodiscard]] virtual Scoped apply(const torch::Tensor& energies, const torch::Tensor& query,
                                     const Memory& memory, int64_t position) const = 0;
};

}  // namespace attend::nn
