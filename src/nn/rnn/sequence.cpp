#include "nn/rnn/sequence.h"

#include <torch/autograd.h>

#include "nn/execution.h"

namespace attend::nn {
namespace {

/// steps [T, N, H] -> [N, H]: what each row held at its last real step.
torch::Tensor at_last_step(const torch::Tensor& steps, const torch::Tensor& lengths) {
  const torch::Tensor index = (lengths - 1).view({1, -1, 1}).expand({1, -1, steps.size(2)});
  return steps.gather(0, index).squeeze(0);
}

/// x [N, T, I] time first, so that a step's slice is contiguous.
torch::Tensor steps_first(const torch::Tensor& x) {
  return x.transpose(0, 1).contiguous();
}

/// Adds a whole layer over x [N, T, I] to a loop. Returns its state.
LoopState unroll_layer(fused::Loop& loop, const RnnCell& cell, const torch::Tensor& x,
                       const CellState& start, const torch::Tensor& recurrent_mask) {
  const LoopState state = cell.loop_state(loop, start);
  cell.unroll(loop, cell.project(loop, steps_first(x)), state.before(), recurrent_mask, state);
  return state;
}

/// Rows of [N, T] by number, n T + positions[n, t].
torch::Tensor row_numbers(const torch::Tensor& positions) {
  const int64_t rows = positions.size(0), steps = positions.size(1);
  const torch::Tensor first = torch::arange(rows, positions.options()).unsqueeze(1) * steps;
  return (positions + first).flatten();
}

class TurnAround : public torch::autograd::Function<TurnAround> {
 public:
  static torch::Tensor forward(torch::autograd::AutogradContext* context, const torch::Tensor& x,
                               const torch::Tensor& rows) {
    context->save_for_backward({rows});
    return turned(x, rows);
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 const torch::autograd::variable_list& arriving) {
    return {turned(arriving[0], context->get_saved_variables()[0]), torch::Tensor()};
  }

 private:
  static torch::Tensor turned(const torch::Tensor& x, const torch::Tensor& rows) {
    return x.flatten(0, 1).index_select(0, rows).view(x.sizes());
  }
};

void add_results(const RnnCell& cell, const LoopState& state,
                 std::vector<fused::LoopValue>& results) {
  results.push_back(state.hidden);
  if (cell.has_cell()) results.push_back(state.cell);
}

/// From the hidden states [T, N, H] and, for cells that have one, the cells' at `steps[first]`.
SequenceOutput output_of(const std::vector<torch::Tensor>& steps, std::size_t first,
                         const RnnCell& cell, const torch::Tensor& lengths) {
  CellState last{at_last_step(steps[first], lengths), {}};
  if (cell.has_cell()) last.cell = at_last_step(steps[first + 1], lengths);
  return {steps[first].transpose(0, 1), last};
}

SequenceOutput run_fused(const RnnCell& cell, const torch::Tensor& x, const torch::Tensor& lengths,
                         const CellState& start, const torch::Tensor& recurrent_mask) {
  fused::Loop loop(x.size(1), start.hidden);
  std::vector<fused::LoopValue> results;
  add_results(cell, unroll_layer(loop, cell, x, start, recurrent_mask), results);
  return output_of(loop.run(results), 0, cell, lengths);
}

}  // namespace

SequenceOutput run_sequence(const RnnCell& cell, const torch::Tensor& x,
                            const torch::Tensor& lengths, const CellState& start,
                            const torch::Tensor& recurrent_mask) {
  if (cell.is_fusible() && is_fusible(x)) {
    return run_fused(cell, x, lengths, start, recurrent_mask);
  }
  std::vector<torch::Tensor> hidden, cells;
  CellState state = start;
  for (const torch::Tensor& step : cell.project(steps_first(x)).unbind(0)) {  // backward: one stack
    state = cell.step(step, state, recurrent_mask);
    hidden.push_back(state.hidden);
    if (cell.has_cell()) cells.push_back(state.cell);
  }
  const torch::Tensor all = torch::stack(hidden);  // [T, N, H]
  CellState last{at_last_step(all, lengths), {}};
  if (cell.has_cell()) last.cell = at_last_step(torch::stack(cells), lengths);
  return {all.transpose(0, 1), last};
}

TwoDirections run_both(const Direction& forward, const Direction& backward,
                       const torch::Tensor& lengths) {
  const RnnCell& ahead = forward.cell;
  const RnnCell& back = backward.cell;
  const int64_t rows = forward.x.size(0);
  const CellState start = zero_state(ahead, rows, forward.x),
                  end = zero_state(back, rows, backward.x);
  if (!ahead.is_fusible() || !back.is_fusible() || !is_fusible(forward.x)) {
    return {run_sequence(ahead, forward.x, lengths, start, forward.recurrent_mask),
            run_sequence(back, backward.x, lengths, end, backward.recurrent_mask)};
  }
  fused::Loop loop(forward.x.size(1), start.hidden);
  std::vector<fused::LoopValue> results;
  const auto add = [&](const Direction& direction, const CellState& from) {
    add_results(direction.cell,
                unroll_layer(loop, direction.cell, direction.x, from, direction.recurrent_mask),
                results);
  };
  add(forward, start);
  loop.begin_beside();
  add(backward, end);
  const std::vector<torch::Tensor> steps = loop.run(results);
  return {output_of(steps, 0, ahead, lengths), output_of(steps, steps.size() / 2, back, lengths)};
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

torch::Tensor turn_around(const torch::Tensor& x, const torch::Tensor& positions) {
  return TurnAround::apply(x, row_numbers(positions));
}

torch::Tensor gather_positions(const torch::Tensor& x, const torch::Tensor& positions) {
  if (x.dim() == 2) return x.gather(1, positions);
  return x.gather(1, positions.unsqueeze(2).expand({-1, -1, x.size(2)}));
}

}  // namespace attend::nn
