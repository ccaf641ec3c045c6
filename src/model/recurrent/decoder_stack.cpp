#include "model/recurrent/decoder_stack.h"

#include <fmt/format.h>

#include <algorithm>

#include "nn/device/sequence.h"
#include "nn/dropout.h"

namespace attend::model {

DecoderStack::DecoderStack(const ModelOptions& options, int64_t layers, int64_t input_size)
    : layer_dropout_(options.dropout.layer), residual_(recurrent_decoder(options).residual) {
  const RecurrentDecoderOptions& decoder = recurrent_decoder(options);
  for (int64_t i = 0; i < layers; ++i) {
    const int64_t size = i == 0 ? input_size : decoder.hidden;
    cells_.push_back(register_module(
        fmt::format("layer{}", i),
        nn::make_cell(decoder.cell, size, decoder.hidden, decoder.layer_norm, decoder.memory)));
  }
}

torch::Tensor DecoderStack::project(const torch::Tensor& x) const {
  return cells_.front()->project(x);
}

nn::fused::LoopValue DecoderStack::project(nn::fused::Loop& loop, nn::fused::LoopValue x) const {
  return cells_.front()->project(loop, x);
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

bool DecoderStack::has_library_form(const torch::Tensor& like, const LayerMasks& masks) const {
  for (std::size_t i = 0; i < cells_.size(); ++i) {
    if (!nn::device::has_library_form({{*cells_[i], {}, masks[i]}}, like)) return false;
  }
  return true;
}

torch::Tensor DecoderStack::run_library(const torch::Tensor& x,
                                        const std::vector<nn::CellState>& layers) const {
  const torch::Tensor lengths = torch::full({x.size(0)}, x.size(1), torch::kInt64);
  torch::Tensor output;
  for (std::size_t i = 0; i < cells_.size(); ++i) {
    const torch::Tensor input = i == 0 ? x : nn::dropout(output, layer_dropout_, is_training());
    output = nn::device::run_library({{*cells_[i], layers[i], {}}}, input, lengths).outputs;
    if (i > 0 && residual_) output = output + input;
  }
  return output;
}

std::vector<nn::LoopState> DecoderStack::loop_states(
    nn::fused::Loop& loop, const std::vector<nn::CellState>& layers) const {
  std::vector<nn::LoopState> states;
  for (std::size_t i = 0; i < cells_.size(); ++i) {
    states.push_back(cells_[i]->loop_state(loop, layers[i]));
  }
  return states;
}

bool DecoderStack::has_fused_form() const {
  return std::all_of(cells_.begin(), cells_.end(),
                     [](const auto& cell) { return cell->fused() != nullptr; });
}

nn::fused::LoopValue DecoderStack::unroll(nn::fused::Loop& loop, nn::fused::LoopValue projected,
                                          const std::vector<nn::LoopState>& states,
                                          const LayerMasks& masks,
                                          std::optional<nn::fused::LoopValue> shortcut) const {
  cells_.front()->fused()->unroll(loop, projected, states.front().before(), masks.front(),
                                  states.front());
  nn::fused::LoopValue output = states.front().hidden;
  if (shortcut) output = loop.sum(output, *shortcut);
  for (std::size_t i = 1; i < cells_.size(); ++i) {
    const nn::fused::LoopValue input = loop.dropout(output, layer_dropout_, is_training());
    cells_[i]->fused()->unroll(loop, cells_[i]->project(loop, input), states[i].before(), masks[i],
                               states[i]);
    output = states[i].hidden;
    if (residual_) output = loop.sum(output, input);
  }
  return output;
}

}  // namespace attend::model
