#pragma once
#include <memory>

#include "model/transformer/feed_forward.h"
#include "model/transformer/layer_options.h"
#include "model/transformer/residual.h"

namespace attend::model {

/// Self-attention and a feed-forward network, each inside a Residual. Vaswani et al. (2017), arXiv
/// 1706.03762, Sec. 3.1.
class EncoderLayer : public torch::nn::Module {
 public:
  explicit EncoderLayer(const LayerOptions& options);

  /// nn::SelfAttention::plain_reasons() of its self-attention.
  [[nodiscard]] std::vector<std::string> plain_reasons() const {
    return self_attention_->plain_reasons();
  }

  struct Output {
    Stream x;               // [B, S, C]; values on padding are meaningless
    torch::Tensor weights;  // [B, heads, S, S] of the self-attention
  };
  /// x [B, S, C], mask [B, S], lengths [B]. Weights may be undefined if they are not wanted.
  [[nodiscard]] Output forward(const Stream& x, const torch::Tensor& mask,
                               const torch::Tensor& lengths, nn::AttentionOutputs wanted) const;
  /// AttentionSum::interactions() of the self-attention with `weights`, for the input x: [B, S, S].
  [[nodiscard]] torch::Tensor interactions(const Stream& x, const torch::Tensor& weights) const;

 private:
  double attention_dropout_;
  std::shared_ptr<nn::SelfAttention> self_attention_;
  std::shared_ptr<FeedForward> feed_forward_;
  Residual around_attention_;
  Residual around_feed_forward_;
};

}  // namespace attend::model
