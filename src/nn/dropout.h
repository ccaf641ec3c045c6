#pragma once
#include <torch/types.h>

#include <cstdint>

namespace attend::nn {

/// What a mask of kernels::Dropout is counted out from.
struct DropoutMask {
  uint64_t seed = 0;
  double probability = 0.0;

  /// With a seed from LibTorch's default generator of the CPU; where `active` is false or the
  /// probability 0 nothing is drawn, and the mask has probability 0.
  [[nodiscard]] static DropoutMask draw(double probability, bool active = true);
};

/// Whether masks for `like` are counted out from a DropoutMask: float or double on the CPU.
[[nodiscard]] bool counts_out_masks(const torch::Tensor& like);

/// Zeroes each element with `probability` and scales the rest by 1 / (1 - probability) (Srivastava
/// et al. 2014); the tensor itself where `active` is false or the probability 0. Where
/// counts_out_masks(x) it has the mask of a DropoutMask; others draw each element from LibTorch's
/// generator.
[[nodiscard]] torch::Tensor dropout(const torch::Tensor& x, double probability, bool active);

/// The same with a mask that is drawn already; x itself for probability 0. Requires:
/// counts_out_masks(x).
[[nodiscard]] torch::Tensor dropout(const torch::Tensor& x, const DropoutMask& mask);

/// A mask [rows, size] of 0 and 1 / (1 - probability), to be used for every step of a sequence;
/// undefined where dropout() would do nothing.
[[nodiscard]] torch::Tensor dropout_mask(int64_t rows, int64_t size, double probability,
                                         bool active, const torch::Tensor& like);

}  // namespace attend::nn
