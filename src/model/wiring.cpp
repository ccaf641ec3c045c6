#include "model/wiring.h"

namespace attend::model {
namespace {

/// T tensors [N, *] -> [N, T, *]; undefined if they are.
torch::Tensor stack_steps(const std::vector<torch::Tensor>& steps) {
  if (steps.empty() || !steps.front().defined()) return {};
  return torch::stack(steps, 1);
}

}  // namespace

Decoded Wiring::decode(const torch::Tensor& embedded, const nn::PreparedMemory& memory,
                       const DecoderState& start) const {
  const LayerMasks masks = draw_masks(embedded.size(0), embedded);
  // Time first, so that a step's slice is contiguous; unbind, so that its backward is one stack.
  const std::vector<torch::Tensor> projected =
      project(embedded.transpose(0, 1).contiguous()).unbind(0);
  std::vector<torch::Tensor> hidden, context, weights, heads;
  DecoderState state = start;
  for (const torch::Tensor& step : projected) {
    Advanced advanced = advance(step, memory, state, masks);
    hidden.push_back(advanced.hidden);
    context.push_back(advanced.context);
    weights.push_back(advanced.weights);
    heads.push_back(advanced.heads);
    state = std::move(advanced.state);
  }
  const torch::Tensor per_head = stack_steps(heads);  // [B, T, heads, S]
  return {readout(embedded, stack_steps(hidden), stack_steps(context)), stack_steps(weights),
          per_head.defined() ? per_head.transpose(1, 2) : per_head};
}

}  // namespace attend::model
