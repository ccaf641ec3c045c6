#include "nn/rnn/memory_cell.h"

#include "nn/rnn/gru_cell.h"
#include "nn/rnn/lstm_cell.h"

namespace attend::nn {
namespace {

std::shared_ptr<RnnCell> make_controller(Controller kind, int64_t input_size, int64_t hidden_size,
                                         bool layer_norm) {
  if (kind == Controller::gru)
    return std::make_shared<GruCell>(input_size, hidden_size, layer_norm);
  return std::make_shared<LstmCell>(input_size, hidden_size, layer_norm);
}

int64_t gates_of(Controller controller) {
  return controller == Controller::gru ? 3 : 4;
}

}  // namespace

MemoryCell::MemoryCell(int64_t input_size, int64_t hidden_size, bool layer_norm,
                       const MemoryOptions& options, const torch::Tensor& first_instructions)
    : RnnCell(hidden_size, gates_of(options.controller)),
      options_(options),
      controller_(register_module(
          "controller", make_controller(options.controller, input_size, hidden_size, layer_norm))),
      reads_in_(register_module(
          "reads_in", std::make_shared<Linear>(options.heads * options.width, projection_size(),
                                               /*bias=*/false))),
      interface_(register_module(
          "interface", std::make_shared<Linear>(hidden_size, first_instructions.size(0)))),
      reads_out_(register_module(
          "reads_out", std::make_shared<Linear>(options.heads * options.width, hidden_size,
                                                /*bias=*/false))) {
  interface_->set_first_bias(first_instructions);
}

void MemoryCell::initialize(const at::Generator&) {}

torch::Tensor MemoryCell::project(const torch::Tensor& x) const {
  return controller_->project(x);
}

MemoryCell::Parts MemoryCell::parts_of(const torch::Tensor& cell) const {
  const int64_t slots = options_.slots, width = options_.width, heads = options_.heads;
  const int64_t controller = controller_->has_cell() ? hidden_size() : 0;
  std::vector<int64_t> sizes{controller, heads * width, slots * width, slots, heads * slots};
  if (keeps_order()) sizes.insert(sizes.end(), {slots, slots, slots * slots});
  // Splits once, so that the backward pass assembles the gradient once. If each part were a
  // separate slice, each would have a gradient as large as `cell`.
  const std::vector<torch::Tensor> flat = cell.split_with_sizes(sizes, 1);
  Parts parts{controller > 0 ? flat[0] : torch::Tensor(),
              {.reads = flat[1].unflatten(1, {heads, width}),
               .memory = flat[2].unflatten(1, {slots, width}),
               .write_weights = flat[3],
               .read_weights = flat[4].unflatten(1, {heads, slots})}};
  if (!keeps_order()) return parts;
  parts.memory.usage = flat[5];
  parts.memory.precedence = flat[6];
  parts.memory.link = flat[7].unflatten(1, {slots, slots});
  return parts;
}

MemoryState MemoryCell::memory_of(const torch::Tensor& cell) const {
  return parts_of(cell).memory;
}

torch::Tensor MemoryCell::head_weights(const CellState& state) const {
  const MemoryState memory = memory_of(state.cell);
  return at::cat({memory.write_weights.unsqueeze(1), memory.read_weights}, 1);
}

torch::Tensor MemoryCell::cell_of(const torch::Tensor& controller,
                                  const MemoryState& memory) const {
  std::vector<torch::Tensor> parts;
  for (const torch::Tensor& part :
       {controller, memory.reads, memory.memory, memory.write_weights, memory.read_weights,
        memory.usage, memory.precedence, memory.link}) {
    if (part.defined()) parts.push_back(part.flatten(1));
  }
  return at::cat(parts, 1);
}

CellState MemoryCell::step(const torch::Tensor& projected, const CellState& state,
                           const torch::Tensor& recurrent_mask) const {
  const auto [controller, before] = parts_of(state.cell);
  const CellState control =
      controller_->step(reads_in_->added_to(projected, before.reads.flatten(1)),
                        {state.hidden, controller}, recurrent_mask);
  const MemoryState after = access(interface_->forward(control.hidden), before);
  return {reads_out_->added_to(control.hidden, after.reads.flatten(1)),
          cell_of(control.cell, after)};
}

CellState MemoryCell::start(int64_t rows, const torch::Tensor& like) const {
  const CellState control = controller_->start(rows, like);
  return {control.hidden, cell_of(control.cell, first(rows, like))};
}

}  // namespace attend::nn
