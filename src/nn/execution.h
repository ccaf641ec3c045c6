#pragma once
#include <torch/types.h>

namespace attend::nn {

class PackedWeights;
class RowCache;

/// Parameters that are views of one buffer, and their gradients in another of the same layout.
struct GradientMemory {
  torch::Tensor values;     // [P]
  torch::Tensor gradients;  // [P]
};

/// How hot functions are computed, and what of their answers is wanted.
struct Execution {
  bool fused = true;  // by kernels for whole sequences where there are some; false: plain LibTorch
  bool bf16 = false;  // matrix products of float tensors with operands rounded to bf16
  bool shown_weights = true;  // of the attention that a decoder shows; false: they may be left out
                              // where they cost anything
  bool recompute = false;     // layers of Transformers again in the backward pass (nn/recompute.h)
  PackedWeights* packed = nullptr;  // weights that do not change, borrowed; null: none
  /// What the decoder of one model projects its target words to, as long as weights do not change;
  /// read where no gradient is recorded. Borrowed; null: computed each time.
  RowCache* words = nullptr;
  /// Borrowed; null: none. Where it is given, the fused functions add the gradients of its
  /// parameters to this memory themselves, and LibTorch gets none. They do so for an objective that
  /// is differentiated as it is, without a factor.
  const GradientMemory* gradients = nullptr;
};

/// While it lives, functions called from this thread compute as it says; they keep to it in their
/// backward pass. Scopes nest. Without one, `Execution{}` holds.
class ExecutionScope {
 public:
  explicit ExecutionScope(const Execution& execution);
  ~ExecutionScope();
  ExecutionScope(const ExecutionScope&) = delete;
  ExecutionScope& operator=(const ExecutionScope&) = delete;

 private:
  Execution outer_;
};

/// What holds in this thread.
[[nodiscard]] Execution execution();

/// Whether fused kernels may be used for `x`: they are wanted, and it is float or double on the
/// CPU.
[[nodiscard]] bool is_fusible(const torch::Tensor& x);

/// Whether fused kernels without a gradient may be used: is_fusible(), and none is recorded.
[[nodiscard]] bool is_search(const torch::Tensor& x);

/// Whether products with `x` are in bf16: it is wanted, and `x` is float on a CPU that is fast at
/// it.
[[nodiscard]] bool uses_bf16(const torch::Tensor& x);

/// Where the gradient of `parameter`, or of a part of one, is added to directly: of its sizes and
/// strides. Undefined where none is wanted or the ExecutionScope has no memory for it.
[[nodiscard]] torch::Tensor gradient_in_place(const torch::Tensor& parameter);

}  // namespace attend::nn
