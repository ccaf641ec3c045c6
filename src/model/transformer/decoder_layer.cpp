#include "model/transformer/decoder_layer.h"

namespace attend::model {

DecoderLayer::DecoderLayer(const LayerOptions& options, std::shared_ptr<Mixer> mixer,
                           const nn::AttentionOptions& source)
    : attention_dropout_(options.dropout.attention),
      mixer_(register_module("mixer", std::move(mixer))),
      attention_(register_module("attention",
                                 std::make_shared<nn::Attention>(source, options.size, options.size,
                                                                 nn::Projections::always))),
      feed_forward_(register_module("feed_forward", std::make_shared<FeedForward>(options))),
      around_mixer_(add_residual(*this, "mixer_norm", options)),
      around_attention_(add_residual(*this, "attention_norm", options)),
      around_feed_forward_(add_residual(*this, "feed_forward_norm", options)) {}

std::vector<std::string> DecoderLayer::plain_reasons() const {
  std::vector<std::string> reasons = attention_->whole_reasons();
  for (std::string& reason : mixer_->plain_reasons()) reasons.push_back(std::move(reason));
  return reasons;
}

nn::PreparedMemory DecoderLayer::prepare(const nn::Memory& memory) const {
  return attention_->prepare(memory);
}

DecoderLayerState DecoderLayer::start(const nn::PreparedMemory& memory) const {
  return {{}, attention_->start(memory)};
}

DecoderLayer::Output DecoderLayer::forward(const Stream& x, const nn::PreparedMemory& memory,
                                           const DecoderLayerState& state, const Ancestry& ancestry,
                                           int64_t position, WantedWeights wanted) const {
  Output output{x, {}, {}, {}};
  const Stream mixed = around_mixer_.around(x, [&](const torch::Tensor& y) {
    Mixer::Mixed result = mixer_->forward(y, state.mixer, ancestry, wanted.self);
    output.state.mixer = std::move(result.state);
    output.self = std::move(result.weights);
    return result.outputs;
  });
  const Stream seen = around_attention_.around(mixed, [&](const torch::Tensor& y) {
    output.attended = attention_->attend_in_order(y, memory, state.attention, position,
                                                  attention_dropout_, wanted.cross);
    output.state.attention = output.attended.state;
    return output.attended.context;
  });
  output.x = around_feed_forward_.around(
      seen, [&](const torch::Tensor& y) { return feed_forward_->forward(y); });
  return output;
}

DecoderLayer::Interactions DecoderLayer::interactions(const Stream& x,
                                                      const torch::Tensor& self_weights,
                                                      const torch::Tensor& cross_weights,
                                                      const nn::PreparedMemory& memory) const {
  const torch::Tensor value = x.value();
  const AttentionSum self =
      around_mixer_.sum(value, self_weights, mixer_->added(around_mixer_.read(value)));
  const AttentionSum cross = around_attention_.sum(
      self.output(), cross_weights, [added = attention_->added(memory)](int64_t) { return added; });
  return {self.interactions(), cross.interactions_apart()};
}

}  // namespace attend::model
