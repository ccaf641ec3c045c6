#include "model/recurrent/wiring.h"

#include <algorithm>

#include "nn/dropout.h"

namespace attend::model {
namespace {

/// T tensors [N, *] -> [N, T, *]; undefined if the inputs are.
torch::Tensor stack_steps(const std::vector<torch::Tensor>& steps) {
  if (steps.empty() || !steps.front().defined()) return {};
  return torch::stack(steps, 1);
}

nn::DrawnPositions stack_drawn(const std::vector<nn::DrawnPositions>& steps) {
  std::vector<torch::Tensor> log_probs, entropies;
  for (const nn::DrawnPositions& step : steps) {
    log_probs.push_back(step.log_prob);
    entropies.push_back(step.entropy);
  }
  return {stack_steps(log_probs), stack_steps(entropies)};
}

/// An attention's drawn positions at one target position, [N, 1] -> [N] each.
nn::DrawnPositions drawn_of_step(const nn::DrawnPositions& drawn) {
  if (!drawn.log_prob.defined()) return {};
  return {drawn.log_prob.squeeze(1), drawn.entropy.squeeze(1)};
}

}  // namespace

std::shared_ptr<nn::RnnCell> Wiring::add(const std::string& name,
                                         std::shared_ptr<nn::RnnCell> cell) {
  cells_.push_back(cell);
  return register_module(name, std::move(cell));
}

std::shared_ptr<DecoderStack> Wiring::add(const std::string& name,
                                          std::shared_ptr<DecoderStack> stack) {
  cells_.insert(cells_.end(), stack->cells().begin(), stack->cells().end());
  return register_module(name, std::move(stack));
}

std::shared_ptr<nn::Attention> Wiring::add(std::shared_ptr<nn::Attention> attention) {
  attention_ = attention;
  return register_module("attention", std::move(attention));
}

std::vector<std::string> Wiring::plain_reasons() const {
  if (fused() == nullptr) return {"wiring"};
  std::vector<std::string> reasons;
  if (attention_) reasons = attention_->plain_reasons();
  for (const auto& cell : cells_) {
    if (cell->fused() != nullptr) continue;
    const std::string reason = cell->plain_reason();
    if (std::find(reasons.begin(), reasons.end(), reason) == reasons.end()) {
      reasons.push_back(reason);
    }
  }
  return reasons;
}

nn::PreparedMemory Wiring::prepare(const nn::Memory& memory) const {
  return attention_ ? attention_->prepare(memory) : nn::PreparedMemory{memory, {}, {}, {}};
}

RecurrentState Wiring::start(const nn::PreparedMemory& memory,
                             std::vector<nn::CellState> layers) const {
  return {std::move(layers), {}, attention_ ? attention_->start(memory) : nn::AttentionState{}, 0};
}

LayerMasks Wiring::draw_masks(int64_t rows, const torch::Tensor& like) const {
  LayerMasks masks;
  for (const auto& cell : cells_) {
    masks.push_back(
        nn::dropout_mask({rows, cell->hidden_size()}, dropout_.recurrent, is_training(), like));
  }
  return masks;
}

WiringStep Wiring::attend(const torch::Tensor& query, const nn::PreparedMemory& memory,
                          const RecurrentState& state) const {
  const nn::Attended attended = attention_->attend(query.unsqueeze(1), memory, state.attention,
                                                   state.position, dropout_.attention);
  return {{},
          attended.context.squeeze(1),
          attended.weights.squeeze(1),
          attended.heads.defined() ? attended.heads.squeeze(2) : attended.heads,
          {{}, {}, attended.state, state.position + 1},
          drawn_of_step(attended.drawn)};
}

nn::LoopAttended Wiring::attend(nn::fused::Loop& loop, nn::fused::LoopValue query,
                                const nn::PreparedMemory& memory,
                                const RecurrentState& start) const {
  return attention_->unroll(loop, query, memory,
                            {start.attention, start.position, dropout_.attention});
}

Decoded Wiring::decode(const torch::Tensor& embedded, const nn::PreparedMemory& memory,
                       const RecurrentState& start) const {
  return decode_steps(embedded, memory, start, [](const RecurrentState&) {});
}

Decoded Wiring::decode_steps(const torch::Tensor& embedded, const nn::PreparedMemory& memory,
                             const RecurrentState& start, const StateListener& listener) const {
  const LayerMasks masks = draw_masks(embedded.size(0), embedded);
  // Time first makes a step's slice contiguous; the backward pass of unbind is a single stack.
  const std::vector<torch::Tensor> projected =
      lowest().project(embedded.transpose(0, 1).contiguous()).unbind(0);
  std::vector<torch::Tensor> hidden, context, weights, heads;
  std::vector<nn::DrawnPositions> drawn_steps;
  RecurrentState state = start;
  nn::StepsScope drawing;
  for (const torch::Tensor& step : projected) {
    drawing.begin(static_cast<int64_t>(hidden.size()));
    WiringStep advanced = advance(step, memory, state, masks);
    hidden.push_back(advanced.hidden);
    context.push_back(advanced.context);
    weights.push_back(advanced.weights);
    heads.push_back(advanced.heads);
    drawn_steps.push_back(advanced.drawn);
    state = std::move(advanced.state);
    listener(state);
  }
  const torch::Tensor per_head = stack_steps(heads);  // [B, T, heads, S]
  return {readout(embedded, stack_steps(hidden), stack_steps(context)), stack_steps(weights),
          per_head.defined() ? per_head.transpose(1, 2) : per_head, stack_drawn(drawn_steps)};
}

Wiring::Traced Wiring::trace(const torch::Tensor& embedded, const nn::PreparedMemory& memory,
                             const RecurrentState& start) const {
  std::vector<std::vector<torch::Tensor>> layers(start.layers.size());
  // All cells of a decoder have the same kind and size, so lowest() can read any layer's state.
  Traced traced{decode_steps(embedded, memory, start,
                             [&](const RecurrentState& state) {
                               for (std::size_t i = 0; i < layers.size(); ++i)
                                 layers[i].push_back(lowest().head_weights(state.layers[i]));
                             }),
                {}};
  for (const auto& steps : layers) traced.memory.push_back(torch::stack(steps, 2));
  return traced;
}

}  // namespace attend::model
