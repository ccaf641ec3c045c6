#pragma once
#include <torch/types.h>

namespace attend::nn::fused {

/// All steps of simpler simple recurrent units, given their matrix products (kernels::Ssru). Float
/// or double on the CPU.
struct SsruSteps {
  torch::Tensor candidates;  // [N, T, C]: W x
  torch::Tensor gates;       // [N, T, C]: W_f x
  torch::Tensor bias;        // [C] of the gates
  torch::Tensor before;      // [N, C] the cell before the first step; undefined: zeros
};

struct SsruResult {
  torch::Tensor outputs;  // [N, T, C]: h
  torch::Tensor last;     // [N, C]: the last c
};

[[nodiscard]] SsruResult ssru(const SsruSteps& steps);

}  // namespace attend::nn::fused
