#pragma once
#include <torch/types.h>

#include <cstdint>
#include <optional>
#include <variant>

#include "kernels/attention/attention_energy.h"
#include "kernels/attention/distribution.h"
#include "nn/fused/loop.h"

namespace attend::nn::fused {

/// What an attention inside a loop reads: for each of M sentences and h heads, which are the parts
/// of the query, S keys and values.
struct LoopMemory {
  torch::Tensor keys;     // [M, S, A], with several heads [M, h, S, A]; some energies read more
                          // than A numbers or none at all
  torch::Tensor values;   // [M, S, C] or [M, h, S, C]
  torch::Tensor lengths;  // [M] int64; positions beyond get weight 0
  torch::Tensor owners;  // [N] int64: which of the M sentences each row of a step reads; undefined:
                         // its own, M = N. Requires, where gradients are wanted: none is read by
                         // two
};

// How an attention inside a loop compares a query with the key k_s of a position
// (kernels/attention/attention_energy.h). To add one: an alternative here, its kernel in kernels,
// and the function in attention.cpp that makes the one from the other.

/// e_s = form(k_s . q).
struct DotEnergy {
  kernels::ProductForm form = kernels::ProductForm::itself;
  torch::Tensor bias = {};  // [1], of ProductForm::tanh
};
/// e_s = w . tanh(k_s + q).
struct TanhEnergy {
  torch::Tensor vector;  // [A], w
};
/// e_s = w . tanh(k_s + q + sum_j f_js U_j), f = F * x, where x says what was attended to before.
struct TraceEnergy {
  torch::Tensor vector;   // [A], w
  LoopValue numbers;      // [S], x; of a step before: LoopValue::before()
  torch::Tensor filters;  // [filters, width], F
  torch::Tensor weight;   // [filters, A], U
  // Where keys have one number more than A, x_s is multiplied by it.
};
/// e_s = q_s.
struct GivenEnergy {};

using Energy = std::variant<DotEnergy, TanhEnergy, TraceEnergy, GivenEnergy>;

/// What of the memory a query sees (kernels::AttentionView).
struct LoopView {
  int64_t reach = -1;
  int64_t position = 0;            // target position of the first step
  std::optional<LoopValue> place;  // [1]
  torch::Tensor bias = {};  // [heads, 2 M + 1] added to energies by distance; undefined: none
  int64_t visible = 0;      // positions that have an energy; 0: all
};

/// All that an attention inside a loop is put together from.
struct LoopAttention {
  LoopMemory memory;
  Energy energy;
  kernels::Distribution distribution;
  LoopView view;
  torch::Tensor mask;  // [P, h * S] multiplies the weights on their way to the context; undefined:
                       // none. No gradient
  torch::Tensor noise = {};  // the same, added to the energies
};

}  // namespace attend::nn::fused
