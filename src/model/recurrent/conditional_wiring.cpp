#include "model/recurrent/conditional_wiring.h"

#include "nn/dropout.h"

namespace attend::model {

ConditionalWiring::ConditionalWiring(const ModelOptions& options,
                                     std::shared_ptr<nn::Attention> attention)
    : Wiring(options.dropout),
      output_size_(options.embedding),
      first_(add("first", nn::make_cell(recurrent_decoder(options).cell, options.embedding,
                                        recurrent_decoder(options).hidden,
                                        recurrent_decoder(options).layer_norm,
                                        recurrent_decoder(options).memory))),
      attention_(add(std::move(attention))),
      second_(add(
          "second",
          nn::make_cell(recurrent_decoder(options).cell, attention_->context_size(),
                        recurrent_decoder(options).hidden, recurrent_decoder(options).layer_norm,
                        recurrent_decoder(options).memory))),
      residual_(recurrent_decoder(options).residual),
      readout_(register_module("readout",
                               std::make_shared<Readout>(options, attention_->context_size()))) {
  if (recurrent_decoder(options).layers == 1) return;
  upper_ =
      add("upper", std::make_shared<DecoderStack>(options, recurrent_decoder(options).layers - 1,
                                                  recurrent_decoder(options).hidden));
}

DecoderStack::Output ConditionalWiring::run_upper_layers(const nn::CellState& lowest,
                                                         const std::vector<nn::CellState>& layers,
                                                         const LayerMasks& masks) const {
  if (!upper_) return {lowest.hidden, {lowest}};
  const torch::Tensor input = nn::dropout(lowest.hidden, dropout().layer, is_training());
  const std::vector<nn::CellState> above(layers.begin() + 1, layers.end());
  DecoderStack::Output stepped =
      upper_->step(upper_->project(input), above, {masks.begin() + 2, masks.end()},
                   residual_ ? input : torch::Tensor());
  stepped.layers.insert(stepped.layers.begin(), lowest);
  return stepped;
}

WiringStep ConditionalWiring::advance(const torch::Tensor& projected,
                                      const nn::PreparedMemory& memory, const RecurrentState& state,
                                      const LayerMasks& masks) const {
  const nn::CellState half = first_->step(projected, state.layers.front(), masks[0]);
  WiringStep result = attend(half.hidden, memory, state);
  const nn::CellState whole = second_->step(second_->project(result.context), half, masks[1]);
  DecoderStack::Output stepped = run_upper_layers(whole, state.layers, masks);
  result.hidden = stepped.output;
  result.state.layers = std::move(stepped.layers);
  return result;
}

LoopWiringStep ConditionalWiring::unroll(nn::fused::Loop& loop, nn::fused::LoopValue projected,
                                         const nn::PreparedMemory& memory,
                                         const RecurrentState& start,
                                         const LayerMasks& masks) const {
  const nn::LoopState whole = first_->loop_state(loop, start.layers.front());
  const nn::LoopState half = first_->loop_state(loop);
  first_->fused()->unroll(loop, projected, whole.before(), masks[0], half);
  const nn::LoopAttended attended = attend(loop, half.hidden, memory, start);
  second_->fused()->unroll(loop, second_->project(loop, attended.context), half, masks[1], whole);
  if (!upper_) return {whole.hidden, attended.context, attended.weights, {whole}, {}};
  const nn::fused::LoopValue input = loop.dropout(whole.hidden, dropout().layer, is_training());
  const std::vector<nn::CellState> above(start.layers.begin() + 1, start.layers.end());
  std::vector<nn::LoopState> states = upper_->loop_states(loop, above);
  const nn::fused::LoopValue output =
      upper_->unroll(loop, upper_->project(loop, input), states, {masks.begin() + 2, masks.end()},
                     residual_ ? std::optional(input) : std::nullopt);
  states.insert(states.begin(), whole);
  return {output, attended.context, attended.weights, std::move(states), {}};
}

torch::Tensor ConditionalWiring::readout(const nn::IndexedRows& embedded,
                                         const torch::Tensor& hidden,
                                         const torch::Tensor& context) const {
  return readout_->forward(hidden, embedded.all(), context);
}

}  // namespace attend::model
