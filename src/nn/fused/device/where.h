#pragma once
#include <ATen/record_function.h>
#include <torch/types.h>
#include <torch/utils.h>

#include <vector>

#include "kernels/device/launch.h"
#include "kernels/layer/series.h"
#include "kernels/product/gemm.h"

namespace attend::nn::fused::device {

/// Where the operations of a loop run, and the options of their memory.
struct Where {
  kernels::device::Place place;
  torch::TensorOptions options;
  /// Precision of products over all steps. Products of one step are too small to gain from bf16,
  /// since their operands would have to be rounded first; LibTorch's settings allow TF32 for them.
  kernels::Precision precision = kernels::Precision::full;
};

/// The place of tensors with `options`: on a GPU, in the current stream of its device.
[[nodiscard]] Where where(const torch::TensorOptions& options);

/// Starts a kernel; profilers show it as `name`.
template <class Body>
void run_numbers(const char* name, const Where& where, const Body& body, int64_t count) {
  RECORD_USER_SCOPE(name);
  kernels::device::launch_numbers(where.place, body, count);
}
template <class Body>
void run_blocks(const char* name, const Where& where, const Body& body, int64_t count) {
  RECORD_USER_SCOPE(name);
  kernels::device::launch_blocks(where.place, body, count);
}

/// Borrowed memory as a tensor [rows, columns].
template <class T>
[[nodiscard]] torch::Tensor matrix(const Where& where, const T* data, int64_t rows,
                                   int64_t columns) {
  return at::for_blob(const_cast<T*>(data), {rows, columns})
      .options(where.options)
      .target_device(where.options.device())
      .make_tensor();
}

/// One step of a series.
template <class T>
[[nodiscard]] torch::Tensor value(const Where& where, const kernels::Series<T>& x, int64_t step) {
  return matrix(where, x.value(step), x.rows(step), x.size);
}
template <class T>
[[nodiscard]] torch::Tensor gradient(const Where& where, const kernels::Series<T>& x,
                                     int64_t step) {
  return matrix(where, x.gradient(step), x.rows(step), x.size);
}

/// The gradients of a step; null in the forward pass.
template <class T>
[[nodiscard]] T* gradient_or_null(const kernels::Series<T>& x, int64_t step) {
  return x.gradients == nullptr ? nullptr : x.gradient(step);
}

/// All steps of a series that is not before().
template <class T>
[[nodiscard]] torch::Tensor values(const Where& where, const kernels::Series<T>& x) {
  return matrix(where, x.values, x.steps->total(), x.size);
}
template <class T>
[[nodiscard]] torch::Tensor gradients(const Where& where, const kernels::Series<T>& x) {
  return matrix(where, x.gradients, x.steps->total(), x.size);
}

/// Copies numbers to the device of `options` without waiting for it.
[[nodiscard]] torch::Tensor moved(const std::vector<int64_t>& numbers,
                                  const torch::TensorOptions& options);

/// Sums the gradient of shared parameters separately for each row of a step, so that kernels need
/// no atomic additions.
class SumsByRow {
 public:
  /// Allocates nothing if `gradient` is undefined, as in the forward pass.
  SumsByRow(const torch::Tensor& gradient, int64_t rows) : gradient_(gradient) {
    if (gradient.defined()) sums_ = torch::zeros({rows, gradient.numel()}, gradient.options());
  }
  /// [rows, size], or null.
  template <class T>
  [[nodiscard]] T* data() const {
    return sums_.defined() ? sums_.template data_ptr<T>() : nullptr;
  }
  /// Adds the sum over rows to the gradient; call it after the last step.
  void add_up() {
    if (sums_.defined()) gradient_.add_(sums_.sum(0).view(gradient_.sizes()));
  }

 private:
  torch::Tensor gradient_, sums_;
};

}  // namespace attend::nn::fused::device
