#pragma once
#include "model/options.h"
#include "nn/attention/attention.h"
#include "nn/layer_norm.h"

namespace attend::model {

/// Self-attention over the encoder's states: each source position attends to all,
///   y_s = layer_norm(x_s + attention(query x_s; keys and values x))
/// with additive (Lin et al. 2017, arXiv 1703.03130, Eq. 1; Cheng, Dong & Lapata 2016, arXiv
/// 1601.06733, but their intra-attention sees only the words before s) or scaled dot score, on one
/// or more heads. Residual connection and layer normalisation as in Vaswani et al. (2017), arXiv
/// 1706.03762, Sec. 3.1.
class SelfAttention : public torch::nn::Module {
 public:
  /// For states of `size` features. Throws ConfigError unless the number of heads divides `size`.
  SelfAttention(const RecurrentEncoderOptions& options, const DropoutOptions& dropout,
                int64_t size);

  struct Output {
    torch::Tensor states;   // [B, S, C], zero on padding
    torch::Tensor weights;  // [B, heads, S, S]
  };
  /// states [B, S, C], lengths [B] int64, mask [B, S].
  [[nodiscard]] Output forward(const torch::Tensor& states, const torch::Tensor& lengths,
                               const torch::Tensor& mask) const;

  [[nodiscard]] int64_t head_count() const { return attention_->head_count(); }

 private:
  DropoutOptions dropout_;
  std::shared_ptr<nn::Attention> attention_;
  std::shared_ptr<nn::LayerNorm> norm_;
};

}  // namespace attend::model
