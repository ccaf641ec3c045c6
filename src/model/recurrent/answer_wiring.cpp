#include "model/recurrent/answer_wiring.h"

namespace attend::model {

AnswerWiring::AnswerWiring(const ModelOptions& options, int64_t memory_size)
    : Wiring(options.dropout),
      hidden_size_(recurrent_decoder(options).hidden),
      stack_(add("stack", std::make_shared<DecoderStack>(options, recurrent_decoder(options).layers,
                                                         options.embedding))),
      answer_(register_module(
          "answer", std::make_shared<nn::Linear>(memory_size, hidden_size_, /*bias=*/false))) {}

RecurrentState AnswerWiring::start(const nn::PreparedMemory& memory,
                                   std::vector<nn::CellState> layers) const {
  RecurrentState state = Wiring::start(memory, std::move(layers));
  const torch::Tensor& outputs = memory.memory.values;
  const torch::Tensor last = (memory.memory.lengths - 1).view({-1, 1, 1});
  const torch::Tensor end =
      outputs.gather(1, last.expand({outputs.size(0), 1, outputs.size(2)})).squeeze(1);  // [B, C]
  state.feed = answer_->forward(end);
  return state;
}

WiringStep AnswerWiring::advance(const torch::Tensor& projected, const nn::PreparedMemory&,
                                 const RecurrentState& state, const LayerMasks& masks) const {
  DecoderStack::Output stepped = stack_->step(projected, state.layers, masks);
  return {stepped.output + state.feed,
          {},
          {},
          {},
          {std::move(stepped.layers), state.feed, {}, state.position + 1},
          {}};
}

LoopWiringStep AnswerWiring::unroll(nn::fused::Loop& loop, nn::fused::LoopValue projected,
                                    const nn::PreparedMemory&, const RecurrentState& start,
                                    const LayerMasks& masks) const {
  const nn::fused::LoopValue answer = loop.state(start.feed);
  // Copies W u from the previous step: a loop has no other way to copy a value.
  const torch::Tensor nothing = torch::zeros({hidden_size_}, start.feed.options());
  loop.sum(answer.before(), loop.broadcast(nothing), answer);
  const std::vector<nn::LoopState> states = stack_->loop_states(loop, start.layers);
  const nn::fused::LoopValue hidden = stack_->unroll(loop, projected, states, masks);
  return {loop.sum(hidden, answer), std::nullopt, std::nullopt, states, answer};
}

torch::Tensor AnswerWiring::readout(const nn::IndexedRows&, const torch::Tensor& hidden,
                                    const torch::Tensor&) const {
  return hidden;
}

}  // namespace attend::model
