#pragma once
#include <torch/types.h>

#include <memory>

#include "nn/attention/attention.h"
#include "nn/layer_norm.h"

namespace attend::model {

/// The output of an attention with its residual connection, and with the layer normalisation that
/// follows in a post-norm layer, as a sum of vectors T_i(j) of the positions j:
///   y[i] = L_i(x[i]) + sum_j T_i(j) + bias,   T_i(j) = L_i(sum_h weights[h,i,j] added_i[h,j]).
/// L_i is nn::LayerNorm::share() (Kobayashi et al. 2021, arXiv 2109.07152), and v itself without a
/// norm. The sum holds for any weights, whatever score, distribution and scope they come from,
/// because the output is linear in the values.
///
/// The interaction of i and j is how much nearer to y[i] the vector of j is than 0, in the 1-norm:
///   c[i,j] = max(0, ||y[i]|| - ||y[i] - T_i(j)||)
/// (Ferrando, Gallego & Costa-jussa 2022, arXiv 2203.04212). Columns whose weights are 0 have none.
class AttentionSum {
 public:
  struct Parts {
    torch::Tensor x;        // [N, T, C] input of the residual connection
    torch::Tensor weights;  // [N, heads, T, S]
    nn::AddedVectors added;
  };
  /// `norm` follows the residual connection; null: none does.
  AttentionSum(Parts parts, std::shared_ptr<nn::LayerNorm> norm);

  /// y [N, T, C].
  [[nodiscard]] const torch::Tensor& output() const { return output_; }

  /// The vectors of the sum for output i without the bias.
  struct Terms {
    torch::Tensor residual;   // [N, C]
    torch::Tensor positions;  // [N, S, C]
  };
  [[nodiscard]] Terms terms(int64_t i) const;

  /// [N, T, S] of a self-attention: the residual vector of i is part of T_i(i). Requires: T = S.
  [[nodiscard]] torch::Tensor interactions() const;
  /// [N, T, 1 + S]: the residual vector, and then the positions (Ferrando et al. 2022, arXiv
  /// 2205.11631).
  [[nodiscard]] torch::Tensor interactions_apart() const;

 private:
  /// The vectors of the positions in output i before the norm, [N, S, C]. Computed anew for each
  /// output, because all together would take [N, T, S, C].
  [[nodiscard]] torch::Tensor added_to(int64_t i) const;
  /// Interactions of output i with `terms` [N, K, C]: [N, K].
  [[nodiscard]] torch::Tensor interactions_of(int64_t i, const torch::Tensor& terms) const;

  Parts parts_;
  std::shared_ptr<nn::LayerNorm> norm_;
  torch::Tensor sum_;     // [N, T, C] before the norm
  torch::Tensor output_;  // [N, T, C]
};

}  // namespace attend::model
