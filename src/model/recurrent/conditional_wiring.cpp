#include "model/recurrent/conditional_wiring.h"

#include "nn/dropout.h"

namespace attend::model {

ConditionalWiring::ConditionalWiring(const ModelOptions& options, int64_t memory_size)
    : output_size_(options.embedding),
      dropout_(options.dropout),
      first_(register_module(
          "first", nn::make_cell(options.decoder.cell, options.embedding, options.decoder.hidden,
                                 options.decoder.layer_norm))),
      attention_(register_module(
          "attention",
          std::make_shared<nn::Attention>(options.attention, options.decoder.hidden, memory_size))),
      second_(register_module("second",
                              nn::make_cell(options.decoder.cell, attention_->context_size(),
                                            options.decoder.hidden, options.decoder.layer_norm))),
      residual_(options.decoder.residual),
      readout_(register_module("readout",
                               std::make_shared<Readout>(options, attention_->context_size()))) {
  if (options.decoder.layers == 1) return;
  upper_ = register_module(
      "upper",
      std::make_shared<DecoderStack>(options, options.decoder.layers - 1, options.decoder.hidden));
}

torch::Tensor ConditionalWiring::project(const torch::Tensor& embedded) const {
  return first_->project(embedded);
}

nn::fused::LoopValue ConditionalWiring::project(nn::fused::Loop& loop,
                                                const nn::IndexedRows& embedded) const {
  return first_->project(loop, embedded);
}

DecoderStack::Stepped ConditionalWiring::climb(const nn::CellState& lowest,
                                               const std::vector<nn::CellState>& layers,
                                               const LayerMasks& masks) const {
  if (!upper_) return {lowest.hidden, {lowest}};
  const torch::Tensor input = nn::dropout(lowest.hidden, dropout_.layer, is_training());
  const std::vector<nn::CellState> above(layers.begin() + 1, layers.end());
  DecoderStack::Stepped stepped =
      upper_->step(upper_->project(input), above, {masks.begin() + 2, masks.end()},
                   residual_ ? input : torch::Tensor());
  stepped.layers.insert(stepped.layers.begin(), lowest);
  return stepped;
}

Advanced ConditionalWiring::advance(const torch::Tensor& projected,
                                    const nn::PreparedMemory& memory, const DecoderState& state,
                                    const LayerMasks& masks) const {
  const nn::CellState half = first_->step(projected, state.layers.front(), masks[0]);
  const nn::Attended attended = attention_->attend(
      half.hidden.unsqueeze(1), memory, state.attention, state.position, dropout_.attention);
  const torch::Tensor context = attended.context.squeeze(1);
  const nn::CellState whole = second_->step(second_->project(context), half, masks[1]);
  const DecoderStack::Stepped stepped = climb(whole, state.layers, masks);
  return {stepped.output,
          context,
          attended.weights.squeeze(1),
          attended.heads.defined() ? attended.heads.squeeze(2) : attended.heads,
          {stepped.layers, {}, attended.state, state.position + 1},
          choice_of_step(attended.choice)};
}

bool ConditionalWiring::is_fusible() const {
  return first_->is_fusible() && attention_->is_fusible(dropout_.attention);
}

LoopAdvanced ConditionalWiring::unroll(nn::fused::Loop& loop, nn::fused::LoopValue projected,
                                       const nn::PreparedMemory& memory, const DecoderState& start,
                                       const LayerMasks& masks) const {
  const nn::LoopState whole = first_->loop_state(loop, start.layers.front());
  const nn::LoopState half = first_->loop_state(loop);
  first_->unroll(loop, projected, whole.before(), masks[0], half);
  const nn::LoopAttended attended = attention_->unroll(loop, half.hidden, memory);
  second_->unroll(loop, second_->project(loop, attended.context), half, masks[1], whole);
  if (!upper_) return {whole.hidden, attended.context, attended.weights, {whole}, {}};
  const nn::fused::LoopValue input = loop.dropout(whole.hidden, dropout_.layer, is_training());
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

DecoderState ConditionalWiring::start(const nn::PreparedMemory& memory,
                                      std::vector<nn::CellState> layers) const {
  return {std::move(layers), {}, attention_->start(memory), 0};
}

LayerMasks ConditionalWiring::draw_masks(int64_t rows, const torch::Tensor& like) const {
  const auto draw = [&] {
    return nn::dropout_mask(rows, first_->hidden_size(), dropout_.recurrent, is_training(), like);
  };
  LayerMasks masks{draw(), draw()};
  if (!upper_) return masks;
  const LayerMasks above = upper_->draw_masks(rows, like);
  masks.insert(masks.end(), above.begin(), above.end());
  return masks;
}

nn::PreparedMemory ConditionalWiring::prepare(const nn::Memory& memory) const {
  return attention_->prepare(memory);
}

}  // namespace attend::model
