#pragma once
#include <torch/types.h>

#include <memory>
#include <vector>

#include "kernels/loop/loop.h"
#include "nn/fused/device/where.h"

// The operations of kernels/loop/loop.h for tensors of any device: LibTorch or cuBLAS computes the
// products (gemm.h), the bodies of kernels/device the rest. They have the same meaning and use up
// the same inputs.
namespace attend::nn::fused::device {

/// kernels::run_forward() or run_backward() in the current stream.
void run(const std::vector<kernels::Operations>& loops, const kernels::Steps& steps, bool backward);

using OperationPointer = std::unique_ptr<kernels::Operation>;

/// An operand and the memory to which its gradient is added (undefined in the forward pass).
struct Leaf {
  torch::Tensor values, gradient;

  template <class T>
  [[nodiscard]] const T* data() const {
    return values.template data_ptr<T>();
  }
};

/// `earlier_rows` [total] int64: if x is a before() value, the rows it reads from the memory of x
/// with its start; undefined if the steps of x are contiguous.
template <class T>
[[nodiscard]] OperationPointer linear(const Where& where, kernels::Series<T> x, const Leaf& weight,
                                      kernels::Series<T> y, kernels::Into into,
                                      const torch::Tensor& earlier_rows);

/// `index` may be undefined.
template <class T>
[[nodiscard]] OperationPointer projection(const Where& where, const Leaf& rows,
                                          const torch::Tensor& index, const Leaf& weight,
                                          const Leaf& bias, kernels::Series<T> y);

template <class T>
[[nodiscard]] OperationPointer lstm(const Where& where, kernels::Series<T> gates,
                                    kernels::Series<T> previous_cell, kernels::Series<T> cell,
                                    kernels::Series<T> hidden);
template <class T>
[[nodiscard]] OperationPointer lstm_cell(const Where& where, kernels::Series<T> gates,
                                         kernels::Series<T> previous_cell, kernels::Series<T> cell);
template <class T>
[[nodiscard]] OperationPointer lstm_output(const Where& where, kernels::Series<T> gates,
                                           kernels::Series<T> normed, kernels::Series<T> hidden);
template <class T>
[[nodiscard]] OperationPointer gru(const Where& where, kernels::Series<T> from_input,
                                   kernels::Series<T> from_state, const Leaf& bias,
                                   kernels::Series<T> previous_hidden, kernels::Series<T> hidden);
template <class T>
[[nodiscard]] OperationPointer min_gru(const Where& where, kernels::Series<T> gates,
                                       kernels::Series<T> previous_hidden,
                                       kernels::Series<T> hidden);

template <class T>
[[nodiscard]] OperationPointer tanh_in_place(const Where& where, kernels::Series<T> x);
template <class T>
[[nodiscard]] OperationPointer positive_in_place(const Where& where, kernels::Series<T> x);
template <class T>
[[nodiscard]] OperationPointer masked(const Where& where, kernels::Series<T> x, const T* mask,
                                      bool by_step, kernels::Series<T> y);
template <class T>
[[nodiscard]] OperationPointer sum(const Where& where, kernels::Series<T> a, kernels::Series<T> b,
                                   kernels::Series<T> y);

template <class T>
[[nodiscard]] OperationPointer scaled_direction(const Where& where, kernels::Series<T> x,
                                                const Leaf& factor, kernels::Series<T> y);
template <class T>
[[nodiscard]] OperationPointer layer_norm(const Where& where, kernels::Series<T> x,
                                          const Leaf& gain, const Leaf& bias, kernels::Series<T> y,
                                          kernels::Into into, kernels::Into of_x);

}  // namespace attend::nn::fused::device
