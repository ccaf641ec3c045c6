#include "nn/device/sequence.h"

#include <ATen/detail/CUDAHooksInterface.h>

#include <algorithm>
#include <numeric>

#include "nn/device/copies.h"
#include "nn/execution.h"

namespace attend::nn::device {
namespace {

using torch::Tensor;
using Kind = LibraryCell::Kind;

/// The layout of N sequences as LibTorch packs them: longest first, step after step. The tensors of
/// indices are on the device of the rows; undefined: all sequences are equally long.
struct Layout {
  Tensor positions;    // [P] int64: rows of [N * T]
  Tensor order;        // [N] int64: the sequence of each row of a step
  Tensor inverse;      // [N] int64: the row of each sequence
  Tensor batch_sizes;  // [longest] int64 on the CPU: rows of each step
};

Layout equal_layout(int64_t rows, int64_t steps) {
  return {{}, {}, {}, torch::full({steps}, rows, torch::kInt64)};
}

/// Sequences by falling length.
std::vector<int64_t> falling(const int64_t* lengths, int64_t rows) {
  std::vector<int64_t> order(static_cast<std::size_t>(rows));
  std::iota(order.begin(), order.end(), int64_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [lengths](int64_t a, int64_t b) { return lengths[a] > lengths[b]; });
  return order;
}

Layout layout_of(const Tensor& lengths, int64_t steps, const torch::Device& device) {
  const Tensor dense = lengths.contiguous();
  const auto* const length = dense.data_ptr<int64_t>();
  const int64_t rows = dense.size(0);
  if (std::all_of(length, length + rows, [steps](int64_t one) { return one == steps; }))
    return equal_layout(rows, steps);
  const std::vector<int64_t> order = falling(length, rows);
  std::vector<int64_t> positions, batch_sizes, inverse(order.size());
  int64_t left = rows;
  for (int64_t step = 0; step < length[order.front()]; ++step) {
    while (length[order[static_cast<std::size_t>(left - 1)]] <= step) --left;
    batch_sizes.push_back(left);
    for (int64_t row = 0; row < left; ++row)
      positions.push_back(order[static_cast<std::size_t>(row)] * steps + step);
  }
  for (std::size_t row = 0; row < order.size(); ++row)
    inverse[static_cast<std::size_t>(order[row])] = static_cast<int64_t>(row);
  const Tensor there = sent(
      at::cat({torch::tensor(positions), torch::tensor(order), torch::tensor(inverse)}), device);
  const auto count = static_cast<int64_t>(positions.size());
  return {there.narrow(0, 0, count), there.narrow(0, count, rows),
          there.narrow(0, count + rows, rows), torch::tensor(batch_sizes)};
}

/// x [N, T, I] -> [P, I].
Tensor packed(const IndexedRows& x, const Layout& layout) {
  if (!layout.positions.defined()) return x.all().transpose(0, 1).flatten(0, 1).contiguous();
  if (!x.index.defined()) return x.rows.flatten(0, 1).index_select(0, layout.positions);
  return x.rows.index_select(0, x.index.flatten().index_select(0, layout.positions));
}

/// [P, H] -> [N, T, H], zero beyond the lengths.
Tensor unpacked(const Tensor& rows, const Layout& layout, int64_t sequences, int64_t steps) {
  if (!layout.positions.defined()) return rows.view({steps, sequences, -1}).transpose(0, 1);
  return torch::zeros({sequences * steps, rows.size(1)}, rows.options())
      .index_copy(0, layout.positions, rows)
      .view({sequences, steps, -1});
}

struct Cells {
  std::vector<Tensor> parameters;  // by direction: weights of input and state, their biases
  Tensor hidden, cell;             // [directions, N, H] first states; no cell: undefined
};

Cells cells_of(const std::vector<Direction>& directions, const Layout& layout) {
  Cells cells;
  std::vector<Tensor> hidden, cell;
  const auto ordered = [&layout](const Tensor& x) {
    return layout.order.defined() ? x.index_select(0, layout.order) : x;
  };
  for (const Direction& direction : directions) {
    const LibraryCell form = *direction.cell.library_form();
    for (const Tensor& parameter :
         {form.input_weight, form.recurrent_weight, form.input_bias, form.recurrent_bias}) {
      cells.parameters.push_back(parameter);
    }
    hidden.push_back(ordered(direction.start.hidden));
    if (direction.start.cell.defined()) cell.push_back(ordered(direction.start.cell));
  }
  cells.hidden = at::stack(hidden);
  if (!cell.empty()) cells.cell = at::stack(cell);
  return cells;
}

struct Result {
  Tensor outputs;       // [P, directions * H]
  Tensor hidden, cell;  // [directions, N, H] last states
};

/// Calls at::lstm or at::gru.
Result run_generic(Kind kind, const Tensor& x, const Tensor& batch_sizes, const Cells& cells) {
  const bool both = cells.hidden.size(0) == 2, training = torch::GradMode::is_enabled();
  if (kind == Kind::gru) {
    auto [outputs, hidden] =
        at::gru(x, batch_sizes, cells.hidden, cells.parameters, true, 1, 0.0, training, both);
    return {outputs, hidden, {}};
  }
  auto [outputs, hidden, cell] = at::lstm(x, batch_sizes, {cells.hidden, cells.cell},
                                          cells.parameters, true, 1, 0.0, training, both);
  return {outputs, hidden, cell};
}

constexpr int64_t kParameters = 4;  // of a direction

int64_t cudnn_mode(Kind kind) {
  constexpr int64_t kLstm = 2, kGru = 3;
  return kind == Kind::lstm ? kLstm : kGru;
}

/// Copies the parameters to one block of memory, in the order of cuDNN. LibTorch's function makes
/// the tensors it gets point to that block, so it gets aliases. No gradients flow here.
Tensor adjacent_parameters(Kind kind, const Tensor& x, const Cells& cells) {
  const torch::NoGradGuard no_grad;
  std::vector<Tensor> aliases;
  for (const Tensor& parameter : cells.parameters) aliases.push_back(at::alias(parameter));
  return at::_cudnn_rnn_flatten_weight(
      aliases, kParameters, x.size(1), cudnn_mode(kind), cells.hidden.size(2), /*proj_size=*/0,
      /*num_layers=*/1, /*batch_first=*/false, /*bidirectional=*/cells.hidden.size(0) == 2);
}

/// Calls the cuDNN layer that at::lstm and at::gru call. These would warn at each call that the
/// parameters are not adjacent in memory.
Result run_cudnn(Kind kind, const Tensor& x, const Tensor& batch_sizes, const Cells& cells) {
  const auto* const sizes = batch_sizes.data_ptr<int64_t>();
  const c10::optional<Tensor> cell =
      cells.cell.defined() ? c10::make_optional(cells.cell) : c10::nullopt;
  auto [outputs, hidden, last_cell, reserve, weights] = at::_cudnn_rnn(
      x, cells.parameters, kParameters, adjacent_parameters(kind, x, cells), cells.hidden, cell,
      cudnn_mode(kind), cells.hidden.size(2), /*proj_size=*/0, /*num_layers=*/1,
      /*batch_first=*/false, /*dropout=*/0.0, /*train=*/torch::GradMode::is_enabled(),
      /*bidirectional=*/cells.hidden.size(0) == 2,
      {sizes, static_cast<std::size_t>(batch_sizes.size(0))},
      /*dropout_state=*/c10::nullopt);
  return {outputs, hidden, last_cell};
}

bool has_cudnn(const Tensor& x) {
  return x.is_cuda() && at::detail::getCUDAHooks().compiledWithCuDNN();
}

}  // namespace

bool has_library_form(const std::vector<Direction>& directions, const Tensor& like) {
  if (!has_device_forms(like)) return false;
  const auto first = directions.front().cell.library_form();
  if (!first || directions.size() > 2) return false;
  for (std::size_t i = 0; i < directions.size(); ++i) {
    const Direction& direction = directions[i];
    const auto form = direction.cell.library_form();
    const bool backward = direction.reading == fused::ReadingDirection::backward;
    if (direction.recurrent_mask.defined() || backward != (i == 1) || !form ||
        form->kind != first->kind ||
        direction.cell.hidden_size() != directions.front().cell.hidden_size()) {
      return false;
    }
  }
  return true;
}

SequenceOutput run_library(const std::vector<Direction>& directions, const IndexedRows& x,
                           const Tensor& lengths) {
  const int64_t rows = x.sizes()[0], steps = x.sizes()[1];
  const Layout layout = layout_of(lengths, steps, x.rows.device());
  const Cells cells = cells_of(directions, layout);
  const Kind kind = directions.front().cell.library_form()->kind;
  const Tensor data = packed(x, layout);
  const Result result = has_cudnn(data) ? run_cudnn(kind, data, layout.batch_sizes, cells)
                                        : run_generic(kind, data, layout.batch_sizes, cells);
  // [directions, N, H] -> [N, directions * H]
  const auto by_sequence = [&layout](const Tensor& last) {
    if (!last.defined()) return last;
    const Tensor ordered = layout.inverse.defined() ? last.index_select(1, layout.inverse) : last;
    return ordered.transpose(0, 1).flatten(1);
  };
  return {unpacked(result.outputs, layout, rows, steps),
          {by_sequence(result.hidden),
           directions.front().cell.has_cell() ? by_sequence(result.cell) : Tensor()}};
}

}  // namespace attend::nn::device
