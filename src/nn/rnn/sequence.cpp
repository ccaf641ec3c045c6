#include "nn/rnn/sequence.h"

#include "nn/execution.h"

namespace attend::nn {
namespace {

/// steps [T, N, H] -> [N, H]: what each row held at its last real step.
torch::Tensor at_last_step(const torch::Tensor& steps, const torch::Tensor& lengths) {
  const torch::Tensor index = (lengths - 1).view({1, -1, 1}).expand({1, -1, steps.size(2)});
  return steps.gather(0, index).squeeze(0);
}

SequenceOutput run_fused(const RnnCell& cell, const torch::Tensor& projected,
                         const torch::Tensor& lengths, const CellState& start,
                         const torch::Tensor& recurrent_mask) {
  fused::Loop loop(projected.size(0), start.hidden);
  const LoopState state = cell.loop_state(loop, start);
  cell.unroll(loop, loop.input(projected), state.before(), recurrent_mask, state);
  std::vector<fused::LoopValue> results{state.hidden};
  if (cell.has_cell()) results.push_back(state.cell);
  const std::vector<torch::Tensor> steps = loop.run(results);
  CellState last{at_last_step(steps[0], lengths), {}};
  if (cell.has_cell()) last.cell = at_last_step(steps[1], lengths);
  return {steps[0].transpose(0, 1), last};
}

}  // namespace

SequenceOutput run_sequence(const RnnCell& cell, const torch::Tensor& x,
                            const torch::Tensor& lengths, const CellState& start,
                            const torch::Tensor& recurrent_mask) {
  // Time first, so that a step's slice is contiguous; unbind, so that its backward is one stack.
  const torch::Tensor projected = cell.project(x.transpose(0, 1).contiguous());
  if (cell.is_fusible() && is_fusible(x)) {
    return run_fused(cell, projected, lengths, start, recurrent_mask);
  }
  std::vector<torch::Tensor> hidden, cells;
  CellState state = start;
  for (const torch::Tensor& step : projected.unbind(0)) {
    state = cell.step(step, state, recurrent_mask);
    hidden.push_back(state.hidden);
    if (cell.has_cell()) cells.push_back(state.cell);
  }
  const torch::Tensor all = torch::stack(hidden);  // [T, N, H]
  CellState last{at_last_step(all, lengths), {}};
  if (cell.has_cell()) last.cell = at_last_step(torch::stack(cells), lengths);
  return {all.transpose(0, 1), last};
}

CellState zero_state(const RnnCell& cell, int64_t rows, const torch::Tensor& like) {
  const torch::Tensor zeros = torch::zeros({rows, cell.hidden_size()}, like.options());
  return {zeros, cell.has_cell() ? zeros : torch::Tensor()};
}

torch::Tensor reversed_positions(const torch::Tensor& lengths, int64_t steps, int64_t keep_last) {
  const torch::Tensor position = torch::arange(steps, lengths.options()).unsqueeze(0);  // [1, T]
  const torch::Tensor turned = (lengths - keep_last).unsqueeze(1);                      // [N, 1]
  return torch::where(position < turned, turned - 1 - position, position);
}

torch::Tensor gather_positions(const torch::Tensor& x, const torch::Tensor& positions) {
  if (x.dim() == 2) return x.gather(1, positions);
  return x.gather(1, positions.unsqueeze(2).expand({-1, -1, x.size(2)}));
}

}  // namespace attend::nn
