#pragma once
#include "kernels/attention/attention_energy.h"
#include "nn/fused/device/operations.h"

namespace attend::nn::fused::device {

/// The parts of an attention inside a loop, except its energy.
template <class T>
struct AttentionParts {
  using Number = T;
  kernels::AttentionMemory<T> memory;
  kernels::AttentionView<T> view;
  kernels::AttentionResult<T> answer;
  Leaf bias = {};             // [heads, 2 M + 1] added to the energies by distance; undefined: none
  torch::Tensor begins = {};  // [steps + 2] int64: begin() of each step from -1 on; only in the
                              // backward pass
};

/// Inputs of kernels::trace_energy().
template <class T>
struct TraceParts {
  kernels::Series<T> numbers;
  const T* rates = nullptr;
  T* d_rates = nullptr;
  Leaf filters, weight;
  int64_t width = 1;
};

// Attention with the energies of kernels/attention/attention_energy.h.
template <class T>
[[nodiscard]] OperationPointer dot_attention(const Where& where, const AttentionParts<T>& parts,
                                             const kernels::AttentionKeys<T>& keys,
                                             kernels::Series<T> query, kernels::ProductForm form,
                                             const Leaf& bias);
template <class T>
[[nodiscard]] OperationPointer tanh_attention(const Where& where, const AttentionParts<T>& parts,
                                              const kernels::AttentionKeys<T>& keys,
                                              kernels::Series<T> query, const Leaf& vector);
template <class T>
[[nodiscard]] OperationPointer trace_attention(const Where& where, const AttentionParts<T>& parts,
                                               const kernels::AttentionKeys<T>& keys,
                                               kernels::Series<T> query, const Leaf& vector,
                                               const TraceParts<T>& trace);
template <class T>
[[nodiscard]] OperationPointer given_attention(const Where& where, const AttentionParts<T>& parts,
                                               kernels::Series<T> query);

}  // namespace attend::nn::fused::device
