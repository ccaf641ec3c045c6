#pragma once
#include <torch/types.h>

#include "nn/thread_context.h"

namespace attend::nn {

/// Sets how this thread computes until the end of the scope. Functions called in it keep to it in
/// their backward pass. Scopes nest. Outside of any scope `Execution{}` holds.
class ExecutionScope {
 public:
  explicit ExecutionScope(const Execution& execution)
      : scope_(&ThreadContext::execution, execution) {}

 private:
  ContextScope<Execution> scope_;
};

/// The present setting of this thread.
[[nodiscard]] inline const Execution& execution() {
  return thread_context().execution;
}

/// Returns true if fused kernels of the CPU may be used for `x`: they are enabled, and `x` is float
/// or double on the CPU and does not take the device path.
[[nodiscard]] bool is_fusible(const torch::Tensor& x);

/// Returns true if computations with `x` take the path of a GPU: it is there, or is on the CPU and
/// the ExecutionScope asks for that.
[[nodiscard]] bool is_on_device(const torch::Tensor& x);

/// Returns true if a fused::Loop may be used for `x`: is_fusible(x), or fused kernels are enabled,
/// `x` is float or double and takes the device path, and this build has kernels for its device.
[[nodiscard]] bool runs_in_loop(const torch::Tensor& x);

/// Returns true if fused kernels without a gradient may be used: is_fusible(x), and no gradient is
/// recorded.
[[nodiscard]] bool is_search(const torch::Tensor& x);

/// Returns true if products with `x` are computed in bf16: it is enabled, `x` is float on the CPU,
/// and the CPU is fast at bf16.
[[nodiscard]] bool uses_bf16(const torch::Tensor& x);

/// The memory to which the gradient of `parameter`, or of a part of one, is added directly, with
/// the sizes and strides of `parameter`. Undefined if it needs no gradient or the ExecutionScope
/// has no memory for it.
[[nodiscard]] torch::Tensor gradient_in_place(const torch::Tensor& parameter);

}  // namespace attend::nn
