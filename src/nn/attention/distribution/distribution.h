#pragma once
#include <torch/types.h>

#include <optional>
#include <string>

#include "kernels/attention/distribution.h"
#include "nn/parameters.h"

namespace attend::nn {

/// Stands for "no weight": far below any real energy, yet finite, so that a row without any
/// position stays free of NaN in both directions.
inline constexpr double kLowestEnergy = -1e30;

/// What training must know of positions that were drawn at random, since no gradient comes back
/// through them. Undefined where none were.
struct Choice {
  torch::Tensor log_prob;  // [..., T] of the position that was drawn, natural logarithm
  torch::Tensor entropy;   // [..., T] of the distribution that it was drawn from, nats
};

/// Weights with how they came about.
struct Distributed {
  torch::Tensor weights;  // [..., T, S]
  Choice choice;
};

/// How energies become weights.
class AttentionDistribution : public Block {
 public:
  /// energies [..., T, S], mask [..., 1 or T, S] bool (true = may get weight) -> weights [..., T,
  /// S]: >= 0, exactly 0 where the mask is false, all zero (never NaN) where a row's mask is false
  /// everywhere.
  [[nodiscard]] virtual torch::Tensor weights(const torch::Tensor& energies,
                                              const torch::Tensor& mask) const = 0;

  /// Whether the weights are exp(e) / sum exp(e).
  [[nodiscard]] virtual bool is_plain_softmax() const { return false; }
  /// The setting because of which it is computed plain, where others of its kind are not.
  [[nodiscard]] virtual std::string plain_reason() const { return "attention.distribution"; }
  /// The same as loops of fused kernels know it; none: they do not.
  [[nodiscard]] virtual std::optional<kernels::Distribution> fused() const { return std::nullopt; }

  /// Whether noise() is added to the energies first, anew for each query. It belongs to source
  /// positions: where only some are seen, those take theirs out of that for all.
  [[nodiscard]] virtual bool draws_noise() const { return false; }
  /// Of the shape of `like`, whose rows are those of lines (nn/drawing.h).
  [[nodiscard]] virtual torch::Tensor noise(const torch::Tensor& like) const {
    return torch::zeros_like(like);
  }

  /// The same for distributions that draw positions in training. `noise`: of the shape of the
  /// energies where draws_noise().
  [[nodiscard]] virtual Distributed distribute(const torch::Tensor& energies,
                                               const torch::Tensor& mask,
                                               const torch::Tensor& /*noise*/) const {
    return {weights(energies, mask), {}};
  }
};

}  // namespace attend::nn
