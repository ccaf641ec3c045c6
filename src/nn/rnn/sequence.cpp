#include "nn/rnn/sequence.h"

#include <torch/autograd.h>

#include <algorithm>

#include "nn/device/sequence.h"
#include "nn/execution.h"

namespace attend::nn {
namespace {

/// Row numbers n T + positions[n, t] in [N, T] flattened to [N * T].
torch::Tensor row_numbers(const torch::Tensor& positions) {
  const int64_t rows = positions.size(0), steps = positions.size(1);
  const torch::Tensor first = torch::arange(rows, positions.options()).unsqueeze(1) * steps;
  return (positions + first).flatten();
}

class ReverseSteps : public torch::autograd::Function<ReverseSteps> {
 public:
  static torch::Tensor forward(torch::autograd::AutogradContext* context, const torch::Tensor& x,
                               const torch::Tensor& rows) {
    context->save_for_backward({rows});
    return reordered(x, rows);
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 const torch::autograd::variable_list& arriving) {
    return {reordered(arriving[0], context->get_saved_variables()[0]), torch::Tensor()};
  }

 private:
  static torch::Tensor reordered(const torch::Tensor& x, const torch::Tensor& rows) {
    return x.flatten(0, 1).index_select(0, rows).view(x.sizes());
  }
};

/// x [N, T, I] with each row reversed up to its end; padding stays in place. The reversal is its
/// own inverse, so the backward pass is as fast as the forward pass.
torch::Tensor reverse_steps(const torch::Tensor& x, const torch::Tensor& lengths) {
  return ReverseSteps::apply(x, row_numbers(reversed_positions(lengths, x.size(1))));
}

/// steps [T, N, H] -> [N, H]: each row at its last real step.
torch::Tensor at_last_step(const torch::Tensor& steps, const torch::Tensor& lengths) {
  const torch::Tensor index = (lengths - 1).view({1, -1, 1}).expand({1, -1, steps.size(2)});
  return steps.gather(0, index).squeeze(0);
}

/// at_last_step() for a list of steps [N, K]. Takes each row from its own last step, since rows are
/// so long that stacking all steps would cost more than the computation.
torch::Tensor at_last_step(const std::vector<torch::Tensor>& steps, const torch::Tensor& lengths) {
  const auto [ordered, order] = lengths.sort();
  const auto [ends, inverse, counts] = at::unique_consecutive(ordered, false, true);
  const torch::Tensor end = ends.cpu(), count = counts.cpu();
  if (end.size(0) == 1) return steps.at(static_cast<std::size_t>(end[0].item<int64_t>()) - 1);
  std::vector<torch::Tensor> rows;
  int64_t first = 0;
  for (int64_t i = 0; i < end.size(0); ++i) {
    const auto step = static_cast<std::size_t>(end[i].item<int64_t>()) - 1;
    const auto number = count[i].item<int64_t>();
    rows.push_back(steps.at(step).index_select(0, order.narrow(0, first, number)));
    first += number;
  }
  return at::cat(rows, 0).index_select(0, order.argsort());
}

/// x [N, T, H] with zeros beyond each row's end.
torch::Tensor without_padding(const torch::Tensor& x, const torch::Tensor& lengths) {
  const torch::Tensor position = torch::arange(x.size(1), lengths.options()).unsqueeze(0);
  return x * (position < lengths.unsqueeze(1)).unsqueeze(2);
}

/// cells [T, N, K] in reading order -> [N, heads, T, M] by position.
torch::Tensor heads_by_position(const Direction& direction, const torch::Tensor& cells,
                                const torch::Tensor& lengths) {
  const torch::Tensor heads = direction.cell.head_weights({{}, cells.flatten(0, 1)});
  const torch::Tensor read = heads.flatten(1).unflatten(0, {cells.size(0), cells.size(1)});
  const bool is_backward = direction.reading == fused::ReadingDirection::backward;
  const torch::Tensor steps = read.transpose(0, 1).contiguous();  // [N, T, heads * M]
  return (is_backward ? reverse_steps(steps, lengths) : steps)
      .unflatten(2, {heads.size(1), heads.size(2)})
      .transpose(1, 2);
}

/// Runs one direction step by step.
SequenceOutput run_plain(const Direction& direction, const torch::Tensor& x,
                         const torch::Tensor& lengths, bool keep_heads) {
  const bool is_backward = direction.reading == fused::ReadingDirection::backward;
  // Each reversed row begins with its last step and ends with padding. Time comes first so that a
  // step's slice is contiguous; the backward pass of unbind is a single stack operation.
  const torch::Tensor read =
      (is_backward ? reverse_steps(x, lengths) : x).transpose(0, 1).contiguous();
  const RnnCell& cell = direction.cell;
  std::vector<torch::Tensor> hidden, cells;
  CellState state = direction.start;
  for (const torch::Tensor& step : cell.project(read).unbind(0)) {
    state = cell.step(step, state, direction.recurrent_mask);
    hidden.push_back(state.hidden);
    if (cell.has_cell()) cells.push_back(state.cell);
  }
  const torch::Tensor all = torch::stack(hidden);  // [T, N, H]
  const torch::Tensor outputs = without_padding(all.transpose(0, 1), lengths);
  SequenceOutput result{is_backward ? reverse_steps(outputs, lengths) : outputs,
                        {at_last_step(all, lengths), {}}};
  if (!cell.has_cell()) return result;
  result.last.cell =
      cell.has_memory() ? at_last_step(cells, lengths) : at_last_step(torch::stack(cells), lengths);
  if (keep_heads) {
    result.head_weights = {heads_by_position(direction, torch::stack(cells), lengths)};
  }
  return result;
}

/// Concatenates the results of all directions.
SequenceOutput join(const std::vector<SequenceOutput>& parts) {
  if (parts.size() == 1) return parts.front();
  std::vector<torch::Tensor> outputs, hidden, cells, heads;
  for (const SequenceOutput& part : parts) {
    heads.insert(heads.end(), part.head_weights.begin(), part.head_weights.end());
    outputs.push_back(part.outputs);
    hidden.push_back(part.last.hidden);
    if (part.last.cell.defined()) cells.push_back(part.last.cell);
  }
  return {at::cat(outputs, 2),
          {at::cat(hidden, 1), cells.empty() ? torch::Tensor() : at::cat(cells, 1)},
          heads};
}

torch::Tensor in_packed_order(const torch::Tensor& rows, const fused::Packing& packing) {
  return rows.defined() ? rows.index_select(0, packing.order()) : rows;
}

/// Adds a direction over all of x [N, T, I] to a loop and returns its state.
LoopState unroll(fused::Loop& loop, const fused::Packing& packing, const Direction& direction,
                 const IndexedRows& x) {
  const RnnCell& cell = direction.cell;
  const LoopState state = cell.loop_state(loop, direction.start.select(packing.order()));
  cell.fused()->unroll(loop, cell.project(loop, packing.pack(x, direction.reading)), state.before(),
                       in_packed_order(direction.recurrent_mask, packing), state);
  return state;
}

SequenceOutput run_fused(const std::vector<Direction>& directions, const IndexedRows& x,
                         const torch::Tensor& lengths) {
  const fused::Packing packing(lengths, x.sizes()[1], x.rows.device());
  fused::Loop loop(packing, x.rows);
  std::vector<fused::LoopResult> outputs, hidden, cells;
  for (const Direction& direction : directions) {
    if (!outputs.empty()) loop.begin_beside();
    const LoopState state = unroll(loop, packing, direction, x);
    outputs.push_back({state.hidden});
    hidden.push_back({state.hidden, packing.last()});
    if (direction.cell.has_cell()) cells.push_back({state.cell, packing.last()});
  }
  std::vector<fused::LoopResult> wanted = outputs;
  wanted.insert(wanted.end(), hidden.begin(), hidden.end());
  wanted.insert(wanted.end(), cells.begin(), cells.end());
  const std::vector<torch::Tensor> results = loop.run(wanted);

  std::vector<fused::Packing::Packed> packed;
  for (std::size_t i = 0; i < directions.size(); ++i) {
    packed.push_back({results[i], directions[i].reading});
  }
  const auto part = [&results, size = directions.size()](std::size_t index) {
    return torch::TensorList(results).slice(index * size, size);
  };
  return {packing.unpack(packed),
          {at::cat(part(1), 1), cells.empty() ? torch::Tensor() : at::cat(part(2), 1)}};
}

}  // namespace

SequenceOutput run_directions(const std::vector<Direction>& directions, const IndexedRows& x,
                              const torch::Tensor& lengths, bool keep_heads,
                              const torch::Tensor& host_lengths) {
  const bool fusible = std::all_of(directions.begin(), directions.end(), [](const Direction& one) {
    return one.cell.fused() != nullptr;
  });
  if (device::has_library_form(directions, x.rows)) {
    return device::run_library(directions, x,
                               host_lengths.defined() ? host_lengths : lengths.cpu());
  }
  if (fusible && runs_in_loop(x.rows)) {
    return run_fused(directions, x, host_lengths.defined() ? host_lengths : lengths.cpu());
  }
  const torch::Tensor all = x.all();
  std::vector<SequenceOutput> parts;
  for (const Direction& direction : directions)
    parts.push_back(run_plain(direction, all, lengths, keep_heads));
  return join(parts);
}

torch::Tensor reversed_positions(const torch::Tensor& lengths, int64_t steps, int64_t keep_last) {
  const torch::Tensor position = torch::arange(steps, lengths.options()).unsqueeze(0);  // [1, T]
  const torch::Tensor reversed = (lengths - keep_last).unsqueeze(1);                    // [N, 1]
  return torch::where(position < reversed, reversed - 1 - position, position);
}

torch::Tensor gather_positions(const torch::Tensor& x, const torch::Tensor& positions) {
  if (x.dim() == 2) return x.gather(1, positions);
  return x.gather(1, positions.unsqueeze(2).expand({-1, -1, x.size(2)}));
}

}  // namespace attend::nn
