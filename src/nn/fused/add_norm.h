#pragma once
#include <torch/types.h>

#include "nn/dropout.h"

namespace attend::nn::fused {

/// A residual connection and layer normalisation by kernels::AddNorm. Float or double on the CPU.
struct AddNorm {
  torch::Tensor x;           // [..., C]
  torch::Tensor part = {};   // [..., C]; undefined: nothing is added
  DropoutMask dropout = {};  // of `part`; probability 0: none
  torch::Tensor gain;        // [C]
  torch::Tensor bias;        // [C]
};

struct AddedNorm {
  torch::Tensor sum;   // x + drop(part)
  torch::Tensor norm;  // of the sum
};

[[nodiscard]] AddedNorm add_norm(const AddNorm& added);

}  // namespace attend::nn::fused
