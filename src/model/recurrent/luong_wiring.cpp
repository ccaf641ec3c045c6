#include "model/recurrent/luong_wiring.h"

#include "nn/execution.h"

namespace attend::model {

LuongWiring::LuongWiring(const ModelOptions& options, int64_t memory_size)
    : hidden_size_(options.decoder.hidden),
      attention_dropout_(options.dropout.attention),
      stack_(register_module("stack", std::make_shared<DecoderStack>(
                                          options, options.decoder.layers, options.embedding))),
      attention_(register_module("attention", std::make_shared<nn::Attention>(
                                                  options.attention, hidden_size_, memory_size))),
      combine_(register_module(
          "combine", std::make_shared<nn::Linear>(attention_->context_size() + hidden_size_,
                                                  hidden_size_, /*bias=*/false))) {
  if (!options.decoder.input_feeding) return;
  feed_ = register_module("feed", std::make_shared<nn::Linear>(
                                      hidden_size_, stack_->projection_size(), /*bias=*/false));
}

torch::Tensor LuongWiring::project(const torch::Tensor& embedded) const {
  return stack_->project(embedded);
}

nn::fused::LoopValue LuongWiring::project(nn::fused::Loop& loop,
                                          const nn::IndexedRows& embedded) const {
  return stack_->project(loop, embedded);
}

Advanced LuongWiring::advance(const torch::Tensor& projected, const nn::PreparedMemory& memory,
                              const DecoderState& state, const LayerMasks& masks) const {
  const torch::Tensor input = feed_ ? feed_->added_to(projected, state.feed) : projected;
  const DecoderStack::Stepped stepped = stack_->step(input, state.layers, masks);
  const nn::Attended attended = attention_->attend(
      stepped.output.unsqueeze(1), memory, state.attention, state.position, attention_dropout_);
  const torch::Tensor attentional = combine(attended.context.squeeze(1), stepped.output);
  return {
      attentional,
      {},
      attended.weights.squeeze(1),
      attended.heads.defined() ? attended.heads.squeeze(2) : attended.heads,
      {stepped.layers, feed_ ? attentional : torch::Tensor(), attended.state, state.position + 1},
      choice_of_step(attended.choice)};
}

torch::Tensor LuongWiring::combine(const torch::Tensor& context,
                                   const torch::Tensor& hidden) const {
  return combine_->forward(at::cat({context, hidden}, -1)).tanh();
}

bool LuongWiring::is_fusible() const {
  return stack_->is_fusible() && attention_->is_fusible(attention_dropout_);
}

LoopAdvanced LuongWiring::unroll(nn::fused::Loop& loop, nn::fused::LoopValue projected,
                                 const nn::PreparedMemory& memory, const DecoderState& start,
                                 const LayerMasks& masks) const {
  const nn::fused::LoopValue attentional =
      feed_ ? loop.state(start.feed) : loop.computed(hidden_size_);
  if (feed_) loop.add_linear(attentional.before(), feed_->weight(), projected);
  const std::vector<nn::LoopState> states = stack_->loop_states(loop, start.layers);
  const nn::fused::LoopValue hidden = stack_->unroll(loop, projected, states, masks);
  const nn::LoopAttended attended = attention_->unroll(loop, hidden, memory);
  // W_c [c; h] in two parts.
  const torch::Tensor& weight = combine_->weight();
  const int64_t context_size = attention_->context_size();
  loop.linear(attended.context, weight.narrow(1, 0, context_size), attentional);
  loop.add_linear(hidden, weight.narrow(1, context_size, hidden_size_), attentional);
  loop.tanh(attentional);
  return {attentional, std::nullopt, attended.weights, states,
          feed_ ? std::optional(attentional) : std::nullopt};
}

torch::Tensor LuongWiring::readout(const nn::IndexedRows&, const torch::Tensor& hidden,
                                   const torch::Tensor&) const {
  return hidden;
}

DecoderState LuongWiring::start(const nn::PreparedMemory& memory,
                                std::vector<nn::CellState> layers) const {
  DecoderState state{std::move(layers), {}, attention_->start(memory), 0};
  if (feed_) state.feed = torch::zeros_like(state.layers.back().hidden);
  return state;
}

LayerMasks LuongWiring::draw_masks(int64_t rows, const torch::Tensor& like) const {
  return stack_->draw_masks(rows, like);
}

nn::PreparedMemory LuongWiring::prepare(const nn::Memory& memory) const {
  return attention_->prepare(memory);
}

torch::Tensor LuongWiring::run_stack(const torch::Tensor& embedded,
                                     const DecoderState& start) const {
  const LayerMasks masks = draw_masks(embedded.size(0), embedded);
  std::vector<torch::Tensor> outputs;
  std::vector<nn::CellState> layers = start.layers;
  for (const torch::Tensor& step : project(embedded.transpose(0, 1).contiguous()).unbind(0)) {
    DecoderStack::Stepped stepped = stack_->step(step, layers, masks);
    outputs.push_back(stepped.output);
    layers = std::move(stepped.layers);
  }
  return torch::stack(outputs, 1);
}

Decoded LuongWiring::decode(const nn::IndexedRows& embedded, const torch::Tensor& lengths,
                            const nn::PreparedMemory& memory, const DecoderState& start) const {
  if (feed_ || attention_->needs_steps() || (is_fusible() && nn::is_fusible(embedded.rows))) {
    return Wiring::decode(embedded, lengths, memory, start);
  }
  const torch::Tensor hidden = run_stack(embedded.all(), start);
  const nn::Attended attended =
      attention_->attend(hidden, memory, start.attention, start.position, attention_dropout_);
  return {combine(attended.context, hidden), attended.weights, attended.heads, attended.choice};
}

}  // namespace attend::model
