#pragma once
#include <torch/types.h>

#include "nn/thread_context.h"

namespace attend::nn {

/// Sets how this thread computes until the end of the scope. The backward passes of functions
/// called in the scope use the same setting. Scopes nest; outside of all scopes the setting is
/// `Execution{}`.
class ExecutionScope {
 public:
  explicit ExecutionScope(const Execution& execution)
      : scope_(&ThreadContext::execution, execution) {}

 private:
  ContextScope<Execution> scope_;
};

/// The current setting of this thread.
[[nodiscard]] inline const Execution& execution() {
  return thread_context().execution;
}

/// Returns true if `x` is to be computed by operations on whole tensors that do not wait for
/// results: it is on a GPU, or Execution::device_path is set.
[[nodiscard]] bool is_on_device(const torch::Tensor& x);

/// Returns true if a layer may use its form for a device (nn/device): fused kernels are enabled,
/// and is_on_device(x).
[[nodiscard]] bool has_device_forms(const torch::Tensor& x);

/// Returns true if fused kernels of the CPU may be used for `x`: they are enabled, and `x` is float
/// or double on the CPU, and not is_on_device().
[[nodiscard]] bool is_fusible(const torch::Tensor& x);

/// Returns true if a fused::Loop may be used for `x`: is_fusible(x), or fused kernels are enabled,
/// `x` is float or double and is_on_device(), and this build has kernels for its device.
[[nodiscard]] bool runs_in_loop(const torch::Tensor& x);

/// Returns true if fused kernels without a gradient may be used: is_fusible(x), and no gradient is
/// recorded.
[[nodiscard]] bool is_search(const torch::Tensor& x);

/// Returns true if products with `x` are computed in bf16: bf16 is enabled, `x` is float, and
/// is_on_device(x) or the CPU is fast at bf16.
[[nodiscard]] bool uses_bf16(const torch::Tensor& x);

/// The memory to which the gradient of `parameter` is added directly, with the sizes and strides of
/// `parameter`, which may be a slice of a parameter. Undefined if no gradient is needed or the
/// ExecutionScope has no memory for it.
[[nodiscard]] torch::Tensor gradient_in_place(const torch::Tensor& parameter);

}  // namespace attend::nn
