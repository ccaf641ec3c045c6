#pragma once
#include <torch/types.h>

#include <cstdint>
#include <optional>
#include <variant>

#include "kernels/attention/attention_energy.h"
#include "kernels/attention/distribution.h"
#include "nn/fused/loop.h"

namespace attend::nn::fused {

/// Memory of an attention inside a loop: S keys and values for each of M sentences and h heads. The
/// heads are the parts of the query (Loop::split()).
struct LoopMemory {
  torch::Tensor keys;     // [M, S, A], or [M, h, S, A] with several heads; some energies read
                          // more than A numbers, or none
  torch::Tensor values;   // [M, S, C] or [M, h, S, C]
  torch::Tensor lengths;  // [M] int64; positions beyond the length get weight 0
  torch::Tensor owners;   // [N] int64: the sentence of each row of a step; undefined: row i has
                          // sentence i. Gradients require that all sentences differ
};

// Energies of an attention inside a loop, computed from a query and the key k_s of a position
// (kernels/attention/attention_energy.h). To add one, add an alternative here, its kernel in
// kernels, and a function in attention.cpp that creates the kernel.

/// e_s = form(k_s . q).
struct DotEnergy {
  kernels::ProductForm form = kernels::ProductForm::itself;
  torch::Tensor bias = {};  // [1], only for ProductForm::tanh
};
/// e_s = w . tanh(k_s + q).
struct TanhEnergy {
  torch::Tensor vector;  // [A], w
};
/// e_s = w . tanh(k_s + q + sum_j f_js U_j), f = F * x, where x depends on earlier attention.
struct TraceEnergy {
  torch::Tensor vector;   // [A], w
  LoopValue numbers;      // [S], x; before(): its value in the previous step
  torch::Tensor filters;  // [filters, width], F
  torch::Tensor weight;   // [filters, A], U
  // If keys have A + 1 numbers, the last one multiplies x_s.
};
/// e_s = q_s.
struct GivenEnergy {};

using Energy = std::variant<DotEnergy, TanhEnergy, TraceEnergy, GivenEnergy>;

/// The positions that a query sees (kernels::AttentionView).
struct LoopView {
  int64_t reach = -1;
  int64_t position = 0;            // target position of the first step
  std::optional<LoopValue> place;  // [1] AttentionView::place, which predicts the centre
  torch::Tensor bias = {};  // [heads, 2 R + 1] added to energies by distance; undefined: none
  int64_t visible = 0;      // number of positions that have an energy; 0: all
};

/// Parts of an attention inside a loop.
struct LoopAttention {
  LoopMemory memory;
  Energy energy;
  kernels::Distribution distribution;
  LoopView view;
  torch::Tensor mask;        // [P, h * S] dropout mask that multiplies the weights;
                             // undefined: none. Has no gradient
  torch::Tensor noise = {};  // [P, h * S] added to the energies; undefined: none. Has no gradient
};

}  // namespace attend::nn::fused
