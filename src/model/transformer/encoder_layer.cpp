#include "model/transformer/encoder_layer.h"

namespace attend::model {

EncoderLayer::EncoderLayer(const LayerOptions& options)
    : attention_dropout_(options.dropout.attention),
      self_attention_(register_module("self_attention", std::make_shared<nn::SelfAttention>(
                                                            options.self_attention, options.size))),
      feed_forward_(register_module("feed_forward", std::make_shared<FeedForward>(options))),
      around_attention_(add_residual(*this, "self_attention_norm", options)),
      around_feed_forward_(add_residual(*this, "feed_forward_norm", options)) {}

EncoderLayer::Output EncoderLayer::forward(const Stream& x, const torch::Tensor& mask,
                                           const torch::Tensor& lengths,
                                           nn::AttentionOutputs wanted) const {
  torch::Tensor weights;
  const Stream seen = around_attention_.around(x, [&](const torch::Tensor& y) {
    nn::Attended attended = self_attention_->attend(y, mask, lengths, attention_dropout_, wanted);
    weights = std::move(attended.heads);
    return attended.context;
  });
  return {around_feed_forward_.around(
              seen, [&](const torch::Tensor& y) { return feed_forward_->forward(y); }),
          weights};
}

torch::Tensor EncoderLayer::interactions(const Stream& x, const torch::Tensor& weights) const {
  const torch::Tensor value = x.value();
  const nn::AddedVectors added = self_attention_->added(around_attention_.read(value));
  return around_attention_.sum(value, weights, added).interactions();
}

}  // namespace attend::model
