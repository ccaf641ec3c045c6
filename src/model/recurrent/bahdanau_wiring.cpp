#include "model/recurrent/bahdanau_wiring.h"

namespace attend::model {

BahdanauWiring::BahdanauWiring(const ModelOptions& options,
                               std::shared_ptr<nn::Attention> attention)
    : Wiring(options.dropout),
      output_size_(options.embedding),
      stack_(add("stack", std::make_shared<DecoderStack>(options, recurrent_decoder(options).layers,
                                                         options.embedding))),
      attention_(add(std::move(attention))),
      context_input_(register_module(
          "context_input", std::make_shared<nn::Linear>(attention_->context_size(),
                                                        stack_->projection_size(), false))),
      readout_(register_module("readout",
                               std::make_shared<Readout>(options, attention_->context_size()))) {}

WiringStep BahdanauWiring::advance(const torch::Tensor& projected, const nn::PreparedMemory& memory,
                                   const RecurrentState& state, const LayerMasks& masks) const {
  WiringStep result = attend(state.layers.back().hidden, memory, state);
  DecoderStack::Output stepped =
      stack_->step(context_input_->added_to(projected, result.context), state.layers, masks);
  result.hidden = stepped.output;
  result.state.layers = std::move(stepped.layers);
  return result;
}

LoopWiringStep BahdanauWiring::unroll(nn::fused::Loop& loop, nn::fused::LoopValue projected,
                                      const nn::PreparedMemory& memory, const RecurrentState& start,
                                      const LayerMasks& masks) const {
  const std::vector<nn::LoopState> states = stack_->loop_states(loop, start.layers);
  const nn::LoopAttended attended = attend(loop, states.back().hidden.before(), memory, start);
  loop.add_linear(attended.context, context_input_->weight(), projected);
  return {stack_->unroll(loop, projected, states, masks),
          attended.context,
          attended.weights,
          states,
          {}};
}

torch::Tensor BahdanauWiring::readout(const nn::IndexedRows& embedded, const torch::Tensor& hidden,
                                      const torch::Tensor& context) const {
  return readout_->forward(hidden, embedded.all(), context);
}

}  // namespace attend::model
