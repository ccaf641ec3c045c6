#include "model/encoder.h"

#include <fmt/format.h>

#include "nn/dropout.h"
#include "nn/shape.h"

namespace attend::model {
namespace {

/// Both directions side by side.
nn::CellState join(const nn::CellState& forward, const nn::CellState& backward) {
  nn::CellState joined{at::cat({forward.hidden, backward.hidden}, 1), {}};
  if (forward.cell.defined()) joined.cell = at::cat({forward.cell, backward.cell}, 1);
  return joined;
}

}  // namespace

Encoder::Encoder(const EncoderOptions& options, const DropoutOptions& dropout, int64_t input_size)
    : options_(options), dropout_(dropout) {
  int64_t size = input_size;
  for (int64_t i = 0; i < options.layers; ++i) {
    const auto add = [&](const char* direction) {
      return register_module(fmt::format("layer{}_{}", i, direction),
                             nn::make_cell(options.cell, size, options.hidden, options.layer_norm));
    };
    layers_.push_back({add("forward"), options.bidirectional ? add("backward") : nullptr});
    size = output_size();
  }
  if (options.self_attention == "none") return;
  self_attention_ =
      register_module("self_attention", std::make_shared<SelfAttention>(options, dropout, size));
}

int64_t Encoder::output_size() const {
  return options_.hidden * (options_.bidirectional ? 2 : 1);
}

torch::Tensor Encoder::draw_mask(const nn::RnnCell& cell, const torch::Tensor& x) const {
  return nn::dropout_mask(x.size(0), cell.hidden_size(), dropout_.recurrent, is_training(), x);
}

nn::SequenceOutput Encoder::run_layer(const Layer& layer, const torch::Tensor& x,
                                      const torch::Tensor& lengths,
                                      const torch::Tensor& reversed) const {
  const torch::Tensor mask = draw_mask(*layer.forward, x);
  if (!layer.backward) {
    const nn::CellState start = nn::zero_state(*layer.forward, x.size(0), x);
    return nn::run_sequence(*layer.forward, x, lengths, start, mask);
  }
  // Turned around, the last real word comes first and padding stays at the end.
  const torch::Tensor turned = nn::turn_around(x, reversed);
  const auto [forward, backward] = nn::run_both(
      {*layer.forward, x, mask}, {*layer.backward, turned, draw_mask(*layer.backward, x)}, lengths);
  return {at::cat({forward.outputs, nn::turn_around(backward.outputs, reversed)}, 2),
          join(forward.last, backward.last)};
}

EncoderOutput Encoder::forward(const torch::Tensor& embedded, const torch::Tensor& lengths,
                               const torch::Tensor& mask) const {
  nn::check_shape(embedded, {mask.size(0), mask.size(1), nn::kAny}, "Encoder embedded");
  const torch::Tensor reversed = nn::reversed_positions(lengths, embedded.size(1));
  EncoderOutput result{embedded, lengths, mask, {}};
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    const torch::Tensor input = result.outputs;
    const nn::SequenceOutput layer = run_layer(layers_[i], input, lengths, reversed);
    result.outputs = nn::dropout(layer.outputs, dropout_.layer, is_training());
    if (options_.residual && i > 0) result.outputs = result.outputs + input;
    result.last.push_back(layer.last);
  }
  result.outputs = result.outputs * mask.unsqueeze(2);
  if (self_attention_) result.outputs = self_attention_->forward(result.outputs, lengths, mask);
  return result;
}

}  // namespace attend::model
