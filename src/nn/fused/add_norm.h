#pragma once
#include <torch/types.h>

#include "nn/dropout.h"

namespace attend::nn::fused {

/// Residual connection and layer normalisation (kernels::AddNorm). Float or double on the CPU.
struct AddNorm {
  torch::Tensor x;           // [..., C]
  torch::Tensor part = {};   // [..., C]; undefined: sum = x
  DropoutMask dropout = {};  // on `part`; probability 0: none
  torch::Tensor gain;        // [C]
  torch::Tensor bias;        // [C]
};

struct AddedNorm {
  torch::Tensor sum;   // x + drop(part)
  torch::Tensor norm;  // layer normalisation of `sum`
};

[[nodiscard]] AddedNorm add_norm(const AddNorm& added);

}  // namespace attend::nn::fused
