#include "model/recurrent/recurrent_encoder.h"

#include <fmt/format.h>

#include "model/recurrent/source_reading.h"
#include "nn/dropout.h"
#include "nn/shape.h"

namespace attend::model {

std::shared_ptr<Encoder> make_encoder(const RecurrentEncoderOptions& encoder,
                                      const ModelOptions& model) {
  return std::make_shared<RecurrentEncoder>(encoder, model.dropout, model.embedding);
}

RecurrentEncoder::RecurrentEncoder(const RecurrentEncoderOptions& options,
                                   const DropoutOptions& dropout, int64_t input_size)
    : options_(options), dropout_(dropout) {
  int64_t size = input_size;
  for (int64_t i = 0; i < options.layers; ++i) {
    const auto add = [&](const char* direction) {
      return register_module(
          fmt::format("layer{}_{}", i, direction),
          nn::make_cell(options.cell, size, options.hidden, options.layer_norm, options.memory));
    };
    layers_.push_back({add("forward"), options.bidirectional ? add("backward") : nullptr});
    size = output_size();
  }
  if (options.self_attention == TopAttention::none) return;
  self_attention_ =
      register_module("self_attention", std::make_shared<SelfAttention>(options, dropout, size));
}

int64_t RecurrentEncoder::output_size() const {
  return options_.output_size();
}

data::SentenceBatch RecurrentEncoder::arranged(const data::SentenceBatch& source) const {
  return arrange_source(source, options_);
}

std::vector<EncoderOutput> RecurrentEncoder::encode(const nn::IndexedRows& embedded,
                                                    const data::SentenceBatch& source) const {
  return {read(embedded, lengths_of(source), source.mask).output};
}

TracedEncoding RecurrentEncoder::trace(const nn::IndexedRows& embedded,
                                       const data::SentenceBatch& source) const {
  Read result = read(embedded, lengths_of(source), source.mask,
                     /*keep_heads=*/!memory_heads().empty());
  TracedEncoding traced{{std::move(result.output)}, {}, std::move(result.memory)};
  if (!self_attention_heads().empty()) traced.self.push_back(std::move(result.self));
  return traced;
}

LayerHeads RecurrentEncoder::self_attention_heads() const {
  if (!self_attention_ || !reads_as_it_stands()) return {};
  return {self_attention_->head_count()};
}

LayerHeads RecurrentEncoder::memory_heads() const {
  const nn::RnnCell& cell = *layers_.front().forward;
  if (!cell.has_memory() || !reads_as_it_stands()) return {};
  return LayerHeads(layers_.size() * (options_.bidirectional ? 2 : 1), cell.head_count());
}

std::vector<EncoderShape> RecurrentEncoder::shapes() const {
  return {{output_size(), /*has_summary=*/true}};
}

std::vector<std::string> RecurrentEncoder::plain_reasons() const {
  const nn::RnnCell& cell = *layers_.front().forward;
  if (cell.fused() != nullptr) return {};
  return {cell.plain_reason()};
}

nn::Direction RecurrentEncoder::direction(const nn::RnnCell& cell, int64_t rows,
                                          const torch::Tensor& like) const {
  return {cell, cell.start(rows, like),
          nn::dropout_mask({rows, cell.hidden_size()}, dropout_.recurrent, is_training(), like)};
}

nn::SequenceOutput RecurrentEncoder::run_layer(const Layer& layer, const nn::IndexedRows& x,
                                               const Lengths& lengths, bool keep_heads) const {
  const int64_t rows = lengths.here.size(0);
  std::vector<nn::Direction> directions{direction(*layer.forward, rows, x.rows)};
  if (layer.backward) {
    directions.push_back(direction(*layer.backward, rows, x.rows));
    directions.back().reading = nn::fused::ReadingDirection::backward;
  }
  return nn::run_directions(directions, x, lengths.here, keep_heads, lengths.on_host);
}

EncoderOutput RecurrentEncoder::forward(const nn::IndexedRows& embedded,
                                        const torch::Tensor& lengths,
                                        const torch::Tensor& mask) const {
  return read(embedded, {lengths, {}}, mask).output;
}

RecurrentEncoder::Lengths RecurrentEncoder::lengths_of(const data::SentenceBatch& source) {
  return {source.lengths_there(), source.lengths};
}

RecurrentEncoder::Read RecurrentEncoder::read(const nn::IndexedRows& embedded,
                                              const Lengths& lengths, const torch::Tensor& mask,
                                              bool keep_heads) const {
  nn::check_shape(embedded.sizes(), {mask.size(0), mask.size(1), nn::kAny}, "Encoder embedded");
  Read read{{{}, lengths.here, mask, {}}, {}};
  EncoderOutput& result = read.output;
  nn::IndexedRows input = embedded;
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    const nn::SequenceOutput layer = run_layer(layers_[i], input, lengths, keep_heads);
    read.memory.insert(read.memory.end(), layer.head_weights.begin(), layer.head_weights.end());
    result.outputs = nn::dropout(layer.outputs, dropout_.layer, is_training());
    if (options_.residual && i > 0) result.outputs = result.outputs + input.rows;
    result.summary.push_back(layer.last);
    input = result.outputs;
  }
  if (!self_attention_) return read;
  SelfAttention::Output output = self_attention_->forward(result.outputs, lengths.here, mask);
  result.outputs = std::move(output.states);
  read.self = std::move(output.weights);
  return read;
}

}  // namespace attend::model
