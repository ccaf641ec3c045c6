#include "model/recurrent/plain_wiring.h"

namespace attend::model {

PlainWiring::PlainWiring(const ModelOptions& options)
    : Wiring(options.dropout),
      hidden_size_(recurrent_decoder(options).hidden),
      stack_(add("stack", std::make_shared<DecoderStack>(options, recurrent_decoder(options).layers,
                                                         options.embedding))) {}

WiringStep PlainWiring::advance(const torch::Tensor& projected, const nn::PreparedMemory&,
                                const RecurrentState& state, const LayerMasks& masks) const {
  const DecoderStack::Output stepped = stack_->step(projected, state.layers, masks);
  return {stepped.output, {}, {}, {}, {stepped.layers, {}, {}, state.position + 1}, {}};
}

LoopWiringStep PlainWiring::unroll(nn::fused::Loop& loop, nn::fused::LoopValue projected,
                                   const nn::PreparedMemory&, const RecurrentState& start,
                                   const LayerMasks& masks) const {
  const std::vector<nn::LoopState> states = stack_->loop_states(loop, start.layers);
  return {stack_->unroll(loop, projected, states, masks), std::nullopt, std::nullopt, states, {}};
}

torch::Tensor PlainWiring::readout(const nn::IndexedRows&, const torch::Tensor& hidden,
                                   const torch::Tensor&) const {
  return hidden;
}

}  // namespace attend::model
