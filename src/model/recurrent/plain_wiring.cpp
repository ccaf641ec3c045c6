#include "model/recurrent/plain_wiring.h"

namespace attend::model {

PlainWiring::PlainWiring(const ModelOptions& options, int64_t)
    : hidden_size_(options.decoder.hidden),
      stack_(register_module("stack", std::make_shared<DecoderStack>(
                                          options, options.decoder.layers, options.embedding))) {}

torch::Tensor PlainWiring::project(const torch::Tensor& embedded) const {
  return stack_->project(embedded);
}

nn::fused::LoopValue PlainWiring::project(nn::fused::Loop& loop,
                                          const nn::IndexedRows& embedded) const {
  return stack_->project(loop, embedded);
}

Advanced PlainWiring::advance(const torch::Tensor& projected, const nn::PreparedMemory&,
                              const DecoderState& state, const LayerMasks& masks) const {
  const DecoderStack::Stepped stepped = stack_->step(projected, state.layers, masks);
  return {stepped.output, {}, {}, {}, {stepped.layers, {}, {}, state.position + 1}, {}};
}

bool PlainWiring::is_fusible() const {
  return stack_->is_fusible();
}

LoopAdvanced PlainWiring::unroll(nn::fused::Loop& loop, nn::fused::LoopValue projected,
                                 const nn::PreparedMemory&, const DecoderState& start,
                                 const LayerMasks& masks) const {
  const std::vector<nn::LoopState> states = stack_->loop_states(loop, start.layers);
  return {stack_->unroll(loop, projected, states, masks), std::nullopt, std::nullopt, states, {}};
}

torch::Tensor PlainWiring::readout(const nn::IndexedRows&, const torch::Tensor& hidden,
                                   const torch::Tensor&) const {
  return hidden;
}

DecoderState PlainWiring::start(const nn::PreparedMemory&,
                                std::vector<nn::CellState> layers) const {
  return {std::move(layers), {}, {}, 0};
}

LayerMasks PlainWiring::draw_masks(int64_t rows, const torch::Tensor& like) const {
  return stack_->draw_masks(rows, like);
}

nn::PreparedMemory PlainWiring::prepare(const nn::Memory& memory) const {
  return {memory, {}, {}, {}};
}

}  // namespace attend::model
