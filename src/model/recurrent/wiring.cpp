#include "model/recurrent/wiring.h"

#include "nn/execution.h"

namespace attend::model {
namespace {

/// T tensors [N, *] -> [N, T, *]; undefined if they are.
torch::Tensor stack_steps(const std::vector<torch::Tensor>& steps) {
  if (steps.empty() || !steps.front().defined()) return {};
  return torch::stack(steps, 1);
}

nn::Choice stack_choices(const std::vector<nn::Choice>& steps) {
  std::vector<torch::Tensor> log_probs, entropies;
  for (const nn::Choice& step : steps) {
    log_probs.push_back(step.log_prob);
    entropies.push_back(step.entropy);
  }
  return {stack_steps(log_probs), stack_steps(entropies)};
}

}  // namespace

nn::Choice choice_of_step(const nn::Choice& choice) {
  if (!choice.log_prob.defined()) return {};
  return {choice.log_prob.squeeze(1), choice.entropy.squeeze(1)};
}

Decoded Wiring::decode(const nn::IndexedRows& embedded, const torch::Tensor& lengths,
                       const nn::PreparedMemory& memory, const DecoderState& start) const {
  if (is_fusible() && nn::is_fusible(embedded.rows)) {
    return decode_fused(embedded, lengths, memory, start);
  }
  const torch::Tensor words = embedded.all();  // [B, T, E]
  const LayerMasks masks = draw_masks(words.size(0), words);
  // Time first, so that a step's slice is contiguous; unbind, so that its backward is one stack.
  const std::vector<torch::Tensor> projected =
      project(words.transpose(0, 1).contiguous()).unbind(0);
  std::vector<torch::Tensor> hidden, context, weights, heads;
  std::vector<nn::Choice> choices;
  DecoderState state = start;
  for (const torch::Tensor& step : projected) {
    Advanced advanced = advance(step, memory, state, masks);
    hidden.push_back(advanced.hidden);
    context.push_back(advanced.context);
    weights.push_back(advanced.weights);
    heads.push_back(advanced.heads);
    choices.push_back(advanced.choice);
    state = std::move(advanced.state);
  }
  const torch::Tensor per_head = stack_steps(heads);  // [B, T, heads, S]
  return {readout(words, stack_steps(hidden), stack_steps(context)), stack_steps(weights),
          per_head.defined() ? per_head.transpose(1, 2) : per_head, stack_choices(choices)};
}

Advanced Wiring::advance_fused(const torch::Tensor& projected, const nn::PreparedMemory& memory,
                               const DecoderState& state, const LayerMasks& masks) const {
  nn::fused::Loop loop(nn::fused::Packing(projected.size(0)), projected);
  const LoopAdvanced advanced = unroll(loop, loop.input(projected), memory, state, masks);
  std::vector<nn::fused::LoopResult> wanted{{advanced.hidden}};
  const auto want = [&wanted](const std::optional<nn::fused::LoopValue>& value) {
    if (value) wanted.push_back({*value});
  };
  want(advanced.context);
  want(advanced.weights);
  const bool has_cell = state.layers.front().cell.defined();
  for (const nn::LoopState& layer : advanced.layers) {
    wanted.push_back({layer.hidden});
    if (has_cell) wanted.push_back({layer.cell});
  }
  want(advanced.feed);

  const std::vector<torch::Tensor> results = loop.run(wanted);
  auto next = results.begin();
  const auto take = [&next](bool there) { return there ? *next++ : torch::Tensor(); };
  Advanced result;
  result.hidden = take(true);
  result.context = take(advanced.context.has_value());
  result.weights = take(advanced.weights.has_value());
  for (std::size_t i = 0; i < advanced.layers.size(); ++i) {
    const torch::Tensor hidden = take(true);
    result.state.layers.push_back({hidden, take(has_cell)});
  }
  result.state.feed = take(advanced.feed.has_value());
  result.state.position = state.position + 1;
  return result;
}

Decoded Wiring::decode_fused(const nn::IndexedRows& embedded, const torch::Tensor& lengths,
                             const nn::PreparedMemory& memory, const DecoderState& start) const {
  const nn::fused::Packing packing(lengths, embedded.sizes()[1]);
  LayerMasks masks = draw_masks(packing.sequences(), embedded.rows);
  for (torch::Tensor& mask : masks) {
    if (mask.defined()) mask = mask.index_select(0, packing.order());
  }
  nn::fused::Loop loop(packing, embedded.rows);
  const LoopAdvanced advanced =
      unroll(loop, project(loop, packing.pack(embedded, nn::fused::Reading::forward)),
             memory.shared().select(packing.order()), start.select(packing.order()), masks);
  std::vector<nn::fused::LoopResult> wanted{{advanced.hidden}};
  if (advanced.context) wanted.push_back({*advanced.context});
  if (advanced.weights) wanted.push_back({*advanced.weights});

  const std::vector<torch::Tensor> results = loop.run(wanted);
  auto next = results.begin();
  const auto take = [&](bool there) {
    return there ? packing.unpack({{*next++}}) : torch::Tensor();
  };
  const torch::Tensor hidden = take(true), context = take(advanced.context.has_value());
  return {readout(embedded, hidden, context), take(advanced.weights.has_value()), {}, {}};
}

}  // namespace attend::model
