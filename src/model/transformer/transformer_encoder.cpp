#include "model/transformer/transformer_encoder.h"

#include <fmt/format.h>

#include "model/transformer/layer_drop.h"
#include "model/transformer/recomputed_layer.h"
#include "nn/execution.h"
#include "nn/shape.h"

namespace attend::model {

std::shared_ptr<Encoder> make_encoder(const TransformerEncoderOptions& encoder,
                                      const ModelOptions& model) {
  return std::make_shared<TransformerEncoder>(encoder, model);
}

TransformerEncoder::TransformerEncoder(const TransformerEncoderOptions& options,
                                       const ModelOptions& model)
    : size_(width_of(options, model)),
      heads_(options.heads),
      layer_drop_(options.layer_drop),
      input_(register_module("input", std::make_shared<StackInput>(options, model))) {
  const LayerOptions layer =
      layer_options(options, options.layer_attention, model, /*causal=*/false);
  for (int64_t i = 0; i < options.layers; ++i) {
    layers_.push_back(
        register_module(fmt::format("layer{}", i), std::make_shared<EncoderLayer>(layer)));
    scale_by_depth(*layers_.back(), i + 1);
  }
  if (layer.norm_first) norm_ = register_module("norm", std::make_shared<nn::LayerNorm>(size_));
}

std::vector<EncoderShape> TransformerEncoder::shapes() const {
  return {{size_, /*has_summary=*/true}};
}

std::vector<EncoderOutput> TransformerEncoder::encode(const nn::IndexedRows& embedded,
                                                      const data::SentenceBatch& source) const {
  return {read(embedded, source, nullptr)};
}

TracedEncoding TransformerEncoder::trace(const nn::IndexedRows& embedded,
                                         const data::SentenceBatch& source) const {
  TracedEncoding traced;
  traced.outputs.push_back(read(embedded, source, &traced.self));
  return traced;
}

LayerHeads TransformerEncoder::self_attention_heads() const {
  return LayerHeads(layers_.size(), heads_);
}

std::vector<std::string> TransformerEncoder::plain_reasons() const {
  return layers_.front()->plain_reasons();
}

EncoderOutput TransformerEncoder::read(const nn::IndexedRows& embedded,
                                       const data::SentenceBatch& source, LayerMaps* maps) const {
  const torch::Tensor lengths = source.lengths_there();
  const torch::Tensor& mask = source.mask;
  nn::check_shape(embedded.sizes(), {mask.size(0), mask.size(1), nn::kAny}, "Encoder embedded");
  const torch::Tensor top = climb(input_->forward(embedded.all(), 0), mask, lengths, maps);
  EncoderOutput output{top * mask.unsqueeze(2), lengths, mask};
  output.summary.push_back({output.mean(), {}});
  return output;
}

EncoderLayer::Output TransformerEncoder::through(std::size_t i, const Stream& x,
                                                 const torch::Tensor& mask,
                                                 const torch::Tensor& lengths,
                                                 nn::Wanted wanted) const {
  const EncoderLayer& layer = *layers_[i];
  if (!nn::execution().recompute || wanted != nn::Wanted::context_alone)
    return layer.forward(x, mask, lengths, wanted);
  const auto compute = [&layer, mask, lengths](const Stream& y, const std::vector<torch::Tensor>&) {
    return LayerAnswer{layer.forward(y, mask, lengths, nn::Wanted::context_alone).x};
  };
  return {recomputed_layer(layer, x, {}, compute).x, {}};
}

torch::Tensor TransformerEncoder::climb(Stream x, const torch::Tensor& mask,
                                        const torch::Tensor& lengths, LayerMaps* maps) const {
  const std::vector<bool> drawn =
      drawn_layers(static_cast<int64_t>(layers_.size()), layer_drop_, is_training());
  const nn::Wanted wanted = maps != nullptr ? nn::Wanted::weights : nn::Wanted::context_alone;
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    if (!drawn[i]) continue;
    EncoderLayer::Output output = through(i, x, mask, lengths, wanted);
    x = std::move(output.x);
    if (maps != nullptr) maps->push_back(std::move(output.weights));
  }
  return top_of(x, norm_.get());
}

}  // namespace attend::model
