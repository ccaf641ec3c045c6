#include "model/recurrent/bahdanau_wiring.h"

namespace attend::model {

BahdanauWiring::BahdanauWiring(const ModelOptions& options, int64_t memory_size)
    : output_size_(options.embedding),
      attention_dropout_(options.dropout.attention),
      stack_(register_module("stack", std::make_shared<DecoderStack>(
                                          options, options.decoder.layers, options.embedding))),
      attention_(register_module(
          "attention",
          std::make_shared<nn::Attention>(options.attention, options.decoder.hidden, memory_size))),
      context_input_(register_module(
          "context_input", std::make_shared<nn::Linear>(attention_->context_size(),
                                                        stack_->projection_size(), false))),
      readout_(register_module("readout",
                               std::make_shared<Readout>(options, attention_->context_size()))) {}

torch::Tensor BahdanauWiring::project(const torch::Tensor& embedded) const {
  return stack_->project(embedded);
}

nn::fused::LoopValue BahdanauWiring::project(nn::fused::Loop& loop,
                                             const nn::IndexedRows& embedded) const {
  return stack_->project(loop, embedded);
}

Advanced BahdanauWiring::advance(const torch::Tensor& projected, const nn::PreparedMemory& memory,
                                 const DecoderState& state, const LayerMasks& masks) const {
  const torch::Tensor query = state.layers.back().hidden.unsqueeze(1);  // [N, 1, H]
  const nn::Attended attended =
      attention_->attend(query, memory, state.attention, state.position, attention_dropout_);
  const torch::Tensor context = attended.context.squeeze(1);
  const DecoderStack::Stepped stepped =
      stack_->step(context_input_->added_to(projected, context), state.layers, masks);
  return {stepped.output,
          context,
          attended.weights.squeeze(1),
          attended.heads.defined() ? attended.heads.squeeze(2) : attended.heads,
          {stepped.layers, {}, attended.state, state.position + 1},
          choice_of_step(attended.choice)};
}

bool BahdanauWiring::is_fusible() const {
  return stack_->is_fusible() && attention_->is_fusible(attention_dropout_);
}

LoopAdvanced BahdanauWiring::unroll(nn::fused::Loop& loop, nn::fused::LoopValue projected,
                                    const nn::PreparedMemory& memory, const DecoderState& start,
                                    const LayerMasks& masks) const {
  const std::vector<nn::LoopState> states = stack_->loop_states(loop, start.layers);
  const nn::LoopAttended attended = attention_->unroll(loop, states.back().hidden.before(), memory);
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

DecoderState BahdanauWiring::start(const nn::PreparedMemory& memory,
                                   std::vector<nn::CellState> layers) const {
  return {std::move(layers), {}, attention_->start(memory), 0};
}

LayerMasks BahdanauWiring::draw_masks(int64_t rows, const torch::Tensor& like) const {
  return stack_->draw_masks(rows, like);
}

nn::PreparedMemory BahdanauWiring::prepare(const nn::Memory& memory) const {
  return attention_->prepare(memory);
}

}  // namespace attend::model
