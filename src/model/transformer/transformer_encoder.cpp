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
  return {read(embedded, source, {})};
}

TracedEncoding TransformerEncoder::trace(const nn::IndexedRows& embedded,
                                         const data::SentenceBatch& source) const {
  TracedEncoding traced;
  traced.outputs.push_back(read(embedded, source, {.weights = &traced.self}));
  return traced;
}

TracedEncoding TransformerEncoder::trace_interactions(const nn::IndexedRows& embedded,
                                                      const data::SentenceBatch& source) const {
  TracedEncoding traced;
  traced.outputs.push_back(
      read(embedded, source, {.weights = &traced.self, .interactions = &traced.interactions}));
  return traced;
}

LayerHeads TransformerEncoder::self_attention_heads() const {
  return LayerHeads(layers_.size(), heads_);
}

std::vector<std::string> TransformerEncoder::plain_reasons() const {
  return layers_.front()->plain_reasons();
}

EncoderOutput TransformerEncoder::read(const nn::IndexedRows& embedded,
                                       const data::SentenceBatch& source,
                                       const Recording& recording) const {
  const torch::Tensor lengths = source.lengths_there();
  const torch::Tensor& mask = source.mask;
  nn::check_shape(embedded.sizes(), {mask.size(0), mask.size(1), nn::kAny}, "Encoder embedded");
  const torch::Tensor top =
      run_layers(input_->forward(embedded.all(), 0), mask, lengths, recording);
  EncoderOutput output{top * mask.unsqueeze(2), lengths, mask};
  output.summary.push_back({output.mean(), {}});
  return output;
}

EncoderLayer::Output TransformerEncoder::run_layer(std::size_t i, const Stream& x,
                                                   const torch::Tensor& mask,
                                                   const torch::Tensor& lengths,
                                                   nn::AttentionOutputs wanted) const {
  const EncoderLayer& layer = *layers_[i];
  if (!nn::execution().recompute || wanted != nn::AttentionOutputs::context_only)
    return layer.forward(x, mask, lengths, wanted);
  const auto compute = [&layer, mask, lengths](const Stream& y, const std::vector<torch::Tensor>&) {
    return LayerOutput{layer.forward(y, mask, lengths, nn::AttentionOutputs::context_only).x};
  };
  return {recomputed_layer(layer, x, {}, compute).x, {}};
}

torch::Tensor TransformerEncoder::run_layers(Stream x, const torch::Tensor& mask,
                                             const torch::Tensor& lengths,
                                             const Recording& recording) const {
  const std::vector<bool> drawn =
      active_layers(static_cast<int64_t>(layers_.size()), layer_drop_, is_training());
  const nn::AttentionOutputs wanted = recording.weights != nullptr
                                          ? nn::AttentionOutputs::weights
                                          : nn::AttentionOutputs::context_only;
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    if (!drawn[i]) continue;
    EncoderLayer::Output output = run_layer(i, x, mask, lengths, wanted);
    if (recording.interactions != nullptr)
      recording.interactions->push_back(layers_[i]->interactions(x, output.weights));
    x = std::move(output.x);
    if (recording.weights != nullptr) recording.weights->push_back(std::move(output.weights));
  }
  return top_of(x, norm_.get());
}

}  // namespace attend::model
