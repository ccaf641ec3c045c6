#include "model/decoder_stack.h"

#include <fmt/format.h>

#include "nn/dropout.h"

namespace attend::model {

DecoderStack::DecoderStack(const ModelOptions& options, int64_t layers, int64_t input_size)
    : layer_dropout_(options.dropout.layer),
      recurrent_dropout_(options.dropout.recurrent),
      residual_(options.decoder.residual) {
  const DecoderOptions& decoder = options.decoder;
  for (int64_t i = 0; i < layers; ++i) {
    const int64_t size = i == 0 ? input_size : decoder.hidden;
    cells_.push_back(
        register_module(fmt::format("layer{}", i),
                        nn::make_cell(decoder.cell, size, decoder.hidden, decoder.layer_norm)));
  }
}

torch::Tensor DecoderStack::project(const torch::Tensor& x) const {
  return cells_.front()->project(x);
}

DecoderStack::Stepped DecoderStack::step(const torch::Tensor& projected,
                                         const std::vector<nn::CellState>& layers,
                                         const LayerMasks& masks,
                                         const torch::Tensor& shortcut) const {
  Stepped result;
  result.layers.push_back(cells_.front()->step(projected, layers.front(), masks.front()));
  result.output = result.layers.back().hidden;
  if (shortcut.defined()) result.output = result.output + shortcut;
  for (std::size_t i = 1; i < cells_.size(); ++i) {
    const torch::Tensor input = nn::dropout(result.output, layer_dropout_, is_training());
    result.layers.push_back(cells_[i]->step(cells_[i]->project(input), layers[i], masks[i]));
    result.output = result.layers.back().hidden;
    if (residual_) result.output = result.output + input;
  }
  return result;
}

bool DecoderStack::is_fusible() const {
  return cells_.size() == 1 && cells_.front()->is_fusible();
}

void DecoderStack::unroll(nn::fused::Loop& loop, nn::fused::LoopValue projected,
                          const nn::LoopState& state, const LayerMasks& masks) const {
  cells_.front()->unroll(loop, projected, state.before(), masks.front(), state);
}

nn::LoopState DecoderStack::loop_state(nn::fused::Loop& loop,
                                       const std::vector<nn::CellState>& layers) const {
  return cells_.front()->loop_state(loop, layers.front());
}

LayerMasks DecoderStack::draw_masks(int64_t rows, const torch::Tensor& like) const {
  LayerMasks masks;
  for (const auto& cell : cells_) {
    masks.push_back(
        nn::dropout_mask(rows, cell->hidden_size(), recurrent_dropout_, is_training(), like));
  }
  return masks;
}

}  // namespace attend::model
