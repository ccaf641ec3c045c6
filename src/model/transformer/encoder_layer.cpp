#include "model/transformer/encoder_layer.h"

namespace attend::model {

EncoderLayer::EncoderLayer(const LayerOptions& options)
    : attention_dropout_(options.dropout.attention),
      self_attention_(register_module("self_attention", std::make_shared<nn::SelfAttention>(
                                                            options.self_attention, options.size))),
      feed_forward_(register_module("feed_forward", std::make_shared<FeedForward>(options))),
      around_attention_(add_residual("self_attention_norm", options)),
      around_feed_forward_(add_residual("feed_forward_norm", options)) {}

Residual EncoderLayer::add_residual(const char* name, const LayerOptions& options) {
  return {register_module(name, std::make_shared<nn::LayerNorm>(options.size)), options.norm_first,
          options.dropout.layer};
}

torch::Tensor EncoderLayer::forward(const torch::Tensor& x, const torch::Tensor& mask,
                                    const torch::Tensor& lengths) const {
  const torch::Tensor seen = around_attention_.around(x, [&](const torch::Tensor& y) {
    return self_attention_->attend(y, mask, lengths, attention_dropout_).context;
  });
  return around_feed_forward_.around(
      seen, [&](const torch::Tensor& y) { return feed_forward_->forward(y); });
}

}  // namespace attend::model
