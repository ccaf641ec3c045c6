#include "model/recurrent/luong_wiring.h"

#include "nn/drawing.h"
#include "nn/execution.h"

namespace attend::model {

LuongWiring::LuongWiring(const ModelOptions& options, std::shared_ptr<nn::Attention> attention)
    : Wiring(options.dropout),
      hidden_size_(recurrent_decoder(options).hidden),
      stack_(add("stack", std::make_shared<DecoderStack>(options, recurrent_decoder(options).layers,
                                                         options.embedding))),
      attention_(add(std::move(attention))),
      combine_(register_module(
          "combine", std::make_shared<nn::Linear>(attention_->context_size() + hidden_size_,
                                                  hidden_size_, /*bias=*/false))) {
  if (!recurrent_decoder(options).input_feeding) return;
  feed_ = register_module("feed", std::make_shared<nn::Linear>(
                                      hidden_size_, stack_->projection_size(), /*bias=*/false));
}

WiringStep LuongWiring::advance(const torch::Tensor& projected, const nn::PreparedMemory& memory,
                                const RecurrentState& state, const LayerMasks& masks) const {
  const torch::Tensor input = feed_ ? feed_->added_to(projected, state.feed) : projected;
  DecoderStack::Output stepped = stack_->step(input, state.layers, masks);
  WiringStep result = attend(stepped.output, memory, state);
  result.hidden = combine(result.context, stepped.output);
  result.context = torch::Tensor();  // the readout does not read it
  result.state.layers = std::move(stepped.layers);
  if (feed_) result.state.feed = result.hidden;
  return result;
}

torch::Tensor LuongWiring::combine(const torch::Tensor& context,
                                   const torch::Tensor& hidden) const {
  return combine_->forward(at::cat({context, hidden}, -1)).tanh();
}

LoopWiringStep LuongWiring::unroll(nn::fused::Loop& loop, nn::fused::LoopValue projected,
                                   const nn::PreparedMemory& memory, const RecurrentState& start,
                                   const LayerMasks& masks) const {
  const nn::fused::LoopValue attentional =
      feed_ ? loop.state(start.feed) : loop.computed(hidden_size_);
  if (feed_) loop.add_linear(attentional.before(), feed_->weight(), projected);
  const std::vector<nn::LoopState> states = stack_->loop_states(loop, start.layers);
  const nn::fused::LoopValue hidden = stack_->unroll(loop, projected, states, masks);
  const nn::LoopAttended attended = attend(loop, hidden, memory, start);
  // W_c [c; h] is computed as the sum of two products.
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

RecurrentState LuongWiring::start(const nn::PreparedMemory& memory,
                                  std::vector<nn::CellState> layers) const {
  RecurrentState state = Wiring::start(memory, std::move(layers));
  if (feed_) state.feed = torch::zeros_like(state.layers.back().hidden);
  return state;
}

torch::Tensor LuongWiring::run_stack(const torch::Tensor& embedded,
                                     const RecurrentState& start) const {
  const LayerMasks masks = draw_masks(embedded.size(0), embedded);
  if (stack_->has_library_form(embedded, masks)) return stack_->run_library(embedded, start.layers);
  return nn::runs_in_loop(embedded) && stack_->has_fused_form()
             ? run_stack_fused(embedded, start.layers, masks)
             : run_stack_plain(embedded, start.layers, masks);
}

torch::Tensor LuongWiring::run_stack_plain(const torch::Tensor& embedded,
                                           std::vector<nn::CellState> layers,
                                           const LayerMasks& masks) const {
  std::vector<torch::Tensor> outputs;
  nn::StepsScope drawing;
  for (const torch::Tensor& step :
       stack_->project(embedded.transpose(0, 1).contiguous()).unbind(0)) {
    drawing.begin(static_cast<int64_t>(outputs.size()));
    DecoderStack::Output stepped = stack_->step(step, layers, masks);
    outputs.push_back(stepped.output);
    layers = std::move(stepped.layers);
  }
  return torch::stack(outputs, 1);
}

torch::Tensor LuongWiring::run_stack_fused(const torch::Tensor& embedded,
                                           const std::vector<nn::CellState>& layers,
                                           const LayerMasks& masks) const {
  const int64_t rows = embedded.size(0), steps = embedded.size(1);
  // All rows have the same length, so that the packing keeps their order.
  const nn::fused::Packing packing(torch::full({rows}, steps, torch::kInt64), steps,
                                   embedded.device());
  nn::fused::Loop loop(packing, embedded);
  const nn::fused::LoopValue projected = lowest().project(
      loop, packing.pack(nn::IndexedRows(embedded), nn::fused::ReadingDirection::forward));
  const nn::fused::LoopValue output =
      stack_->unroll(loop, projected, stack_->loop_states(loop, layers), masks);
  return packing.unpack({{loop.run({{output}}).front()}});
}

Decoded LuongWiring::decode(const torch::Tensor& embedded, const nn::PreparedMemory& memory,
                            const RecurrentState& start) const {
  if (feed_ || attention_->needs_steps()) return Wiring::decode(embedded, memory, start);
  const torch::Tensor hidden = run_stack(embedded, start);
  const nn::Attended attended =
      attention_->attend(hidden, memory, start.attention, start.position, dropout().attention);
  return {combine(attended.context, hidden), attended.weights, attended.heads, attended.drawn};
}

}  // namespace attend::model
