#pragma once
#include <torch/types.h>

#include <optional>
#include <string>

#include "kernels/attention/distribution.h"
#include "nn/parameters.h"

namespace attend::nn {

/// Energy that means "no weight": far below any real energy, but finite, so that a fully masked row
/// gives no NaN in the forward and backward pass.
inline constexpr double kLowestEnergy = -1e30;

/// Quantities that training needs for positions drawn at random, since no gradient flows back
/// through a draw. Undefined if none were drawn.
struct DrawnPositions {
  torch::Tensor log_prob;  // [..., T] natural logarithm of the drawn position's probability
  torch::Tensor entropy;   // [..., T] entropy of the distribution it was drawn from, in nats
};

/// Attention weights and, if positions were drawn, these positions.
struct AttentionWeights {
  torch::Tensor weights;  // [..., T, S]
  DrawnPositions drawn;
};

/// Turns energies into weights.
class AttentionDistribution : public Block {
 public:
  /// energies [..., T, S], mask [..., 1 or T, S] bool (true = may get weight) -> weights [..., T,
  /// S]: >= 0, exactly 0 where the mask is false, all 0 (never NaN) in a fully masked row.
  [[nodiscard]] virtual torch::Tensor weights(const torch::Tensor& energies,
                                              const torch::Tensor& mask) const = 0;

  /// True if the weights are exp(e) / sum exp(e).
  [[nodiscard]] virtual bool is_plain_softmax() const { return false; }
  /// If fused() is empty, the config setting that prevents the fused form.
  [[nodiscard]] virtual std::string plain_reason() const { return "attention.distribution"; }
  /// The distribution for loops of fused kernels; empty if the kernels do not support it.
  [[nodiscard]] virtual std::optional<kernels::Distribution> fused() const { return std::nullopt; }

  /// True if noise() is added to the energies, drawn anew for each query. Noise is always drawn for
  /// the whole source, and a window selects its columns.
  [[nodiscard]] virtual bool draws_noise() const { return false; }
  /// Noise with the shape of `like`. Each row belongs to a line (nn/drawing.h).
  [[nodiscard]] virtual torch::Tensor noise(const torch::Tensor& like) const {
    return torch::zeros_like(like);
  }

  /// weights() for distributions that draw positions in training. `noise` has the shape of the
  /// energies if draws_noise().
  [[nodiscard]] virtual AttentionWeights distribute(const torch::Tensor& energies,
                                                    const torch::Tensor& mask,
                                                    const torch::Tensor& /*noise*/) const {
    return {weights(energies, mask), {}};
  }
};

}  // namespace attend::nn
