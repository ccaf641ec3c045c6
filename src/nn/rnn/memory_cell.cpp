#include "nn/rnn/memory_cell.h"

#include "nn/rnn/gru_cell.h"
#include "nn/rnn/lstm_cell.h"

namespace attend::nn {
namespace {

std::shared_ptr<RnnCell> make_controller(const std::string& name, int64_t input_size,
                                         int64_t hidden_size, bool layer_norm) {
  if (name == "gru") return std::make_shared<GruCell>(input_size, hidden_size, layer_norm);
  return std::make_shared<LstmCell>(input_size, hidden_size, layer_norm);
}

int64_t gates_of(const std::string& controller) {
  return controller == "gru" ? 3 : 4;
}

/// Takes tensors one after the other out of rows of numbers.
class Unpacking {
 public:
  explicit Unpacking(const torch::Tensor& flat) : flat_(flat) {}

  [[nodiscard]] torch::Tensor take(const std::vector<int64_t>& sizes) {
    int64_t numbers = 1;
    for (const int64_t size : sizes) numbers *= size;
    std::vector<int64_t> shape{flat_.size(0)};
    shape.insert(shape.end(), sizes.begin(), sizes.end());
    const torch::Tensor part = flat_.narrow(1, next_, numbers).reshape(shape);
    next_ += numbers;
    return part;
  }

 private:
  torch::Tensor flat_;
  int64_t next_ = 0;
};

}  // namespace

MemoryCell::MemoryCell(int64_t input_size, int64_t hidden_size, bool layer_norm,
                       const MemoryOptions& options, int64_t interface)
    : RnnCell(hidden_size, gates_of(options.controller)),
      options_(options),
      controller_(register_module(
          "controller", make_controller(options.controller, input_size, hidden_size, layer_norm))),
      reads_in_(register_module(
          "reads_in", std::make_shared<Linear>(options.heads * options.width, projection_size(),
                                               /*bias=*/false))),
      interface_(register_module("interface", std::make_shared<Linear>(hidden_size, interface))),
      reads_out_(register_module(
          "reads_out", std::make_shared<Linear>(options.heads * options.width, hidden_size,
                                                /*bias=*/false))) {}

void MemoryCell::initialize(const at::Generator&) {}

torch::Tensor MemoryCell::project(const torch::Tensor& x) const {
  return controller_->project(x);
}

int64_t MemoryCell::controller_cell() const {
  return controller_->has_cell() ? hidden_size() : 0;
}

MemoryState MemoryCell::memory_of(const torch::Tensor& cell) const {
  Unpacking parts(cell.narrow(1, controller_cell(), cell.size(1) - controller_cell()));
  const int64_t slots = options_.slots, width = options_.width, heads = options_.heads;
  MemoryState state;
  state.reads = parts.take({heads, width});
  state.memory = parts.take({slots, width});
  state.write_weights = parts.take({slots});
  state.read_weights = parts.take({heads, slots});
  if (!keeps_order()) return state;
  state.usage = parts.take({slots});
  state.precedence = parts.take({slots});
  state.link = parts.take({slots, slots});
  return state;
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
  const MemoryState before = memory_of(state.cell);
  const CellState previous{state.hidden, controller_->has_cell()
                                             ? state.cell.narrow(1, 0, controller_cell())
                                             : torch::Tensor()};
  const CellState control = controller_->step(
      reads_in_->added_to(projected, before.reads.flatten(1)), previous, recurrent_mask);
  const MemoryState after = access(interface_->forward(control.hidden), before);
  return {reads_out_->added_to(control.hidden, after.reads.flatten(1)),
          cell_of(control.cell, after)};
}

CellState MemoryCell::start(int64_t rows, const torch::Tensor& like) const {
  const CellState control = controller_->start(rows, like);
  return {control.hidden, cell_of(control.cell, first(rows, like))};
}

}  // namespace attend::nn
