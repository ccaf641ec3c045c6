#pragma once
#include <torch/types.h>

#include <cstdint>

#include "nn/drawing.h"

namespace torch::autograd {
struct AutogradContext;
}  // namespace torch::autograd

namespace attend::nn {

/// The seed and probability that define a dropout mask (kernels/layer/dropout_mask.h).
struct DropoutMask {
  double probability = 0.0;  // 0: no dropout
  Draw draw = {};

  /// Takes a new seed. If `active` is false or the probability is 0, draws nothing and returns a
  /// mask of probability 0.
  [[nodiscard]] static DropoutMask drawn(double probability, bool active = true);
  /// The mask of a tensor of these sizes. Throws std::logic_error as Draw::rows_of() does.
  [[nodiscard]] kernels::MaskRule rule(torch::IntArrayRef sizes) const;

  /// Saves the mask for the backward pass.
  void save(torch::autograd::AutogradContext& context) const;
  [[nodiscard]] static DropoutMask saved(torch::autograd::AutogradContext& context);
};

/// Returns true if masks for `like` come from a DropoutMask: float or double on the CPU.
[[nodiscard]] bool counts_out_masks(const torch::Tensor& like);

/// Dropout on x [..., size] with rows as in Draw::rows_of(): zeroes each element with `probability`
/// and scales the rest by 1 / (1 - probability) (Srivastava et al. 2014). Returns x if `active` is
/// false or the probability is 0. On the CPU it uses a DropoutMask, elsewhere LibTorch's generator.
[[nodiscard]] torch::Tensor dropout(const torch::Tensor& x, double probability, bool active);

/// Dropout on x with a given mask; returns x for probability 0. Requires: counts_out_masks(x).
[[nodiscard]] torch::Tensor dropout(const torch::Tensor& x, const DropoutMask& mask);

/// A mask of 0 and 1 / (1 - probability) for rows as in Draw::rows_of(); undefined if `active` is
/// false or the probability is 0.
[[nodiscard]] torch::Tensor dropout_mask(torch::IntArrayRef sizes, double probability, bool active,
                                         const torch::Tensor& like);

}  // namespace attend::nn
