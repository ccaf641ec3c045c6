#pragma once
#include <torch/types.h>

#include <cstdint>

#include "nn/drawing.h"

namespace torch::autograd {
struct AutogradContext;
}  // namespace torch::autograd

namespace attend::nn {

/// What a mask is counted out from (kernels/layer/dropout_mask.h).
struct DropoutMask {
  double probability = 0.0;  // 0: nothing is dropped
  Draw draw = {};

  /// With a seed of its own; where `active` is false or the probability 0 nothing is drawn, and the
  /// mask has probability 0.
  [[nodiscard]] static DropoutMask drawn(double probability, bool active = true);
  /// For a tensor of these sizes. Throws std::logic_error as Draw::rows_of() does.
  [[nodiscard]] kernels::MaskRule rule(torch::IntArrayRef sizes) const;

  /// For a backward pass.
  void save(torch::autograd::AutogradContext& context) const;
  [[nodiscard]] static DropoutMask saved(torch::autograd::AutogradContext& context);
};

/// Whether masks for `like` are counted out from a DropoutMask: float or double on the CPU.
[[nodiscard]] bool counts_out_masks(const torch::Tensor& like);

/// x [..., size] with rows as Draw::rows_of() says: zeroes each element with `probability` and
/// scales the rest by 1 / (1 - probability) (Srivastava et al. 2014); the tensor itself where
/// `active` is false or the probability 0. On the CPU the mask is that of a DropoutMask; elsewhere
/// each element is drawn from LibTorch's generator.
[[nodiscard]] torch::Tensor dropout(const torch::Tensor& x, double probability, bool active);

/// The same with a mask that is drawn already; x itself for probability 0. Requires:
/// counts_out_masks(x).
[[nodiscard]] torch::Tensor dropout(const torch::Tensor& x, const DropoutMask& mask);

/// A mask of 0 and 1 / (1 - probability) for rows as Draw::rows_of() says; undefined where
/// dropout() would do nothing.
[[nodiscard]] torch::Tensor dropout_mask(torch::IntArrayRef sizes, double probability, bool active,
                                         const torch::Tensor& like);

}  // namespace attend::nn
