#include "tests/nn/rnn/memory_cases.h"

#include "tests/support/tensors.h"

namespace attend::test {

nn::MemoryOptions small_memory(nn::Controller controller) {
  return {4, 3, 2, controller};
}

nn::MemoryState random_memory(const nn::MemoryOptions& options, int64_t rows, bool keeps_order,
                              uint64_t seed) {
  const int64_t slots = options.slots, heads = options.heads;
  const auto weights = [&](std::vector<int64_t> sizes, double sum) {
    sizes.insert(sizes.begin(), rows);
    return random_f64(sizes, seed++).softmax(-1) * sum;
  };
  nn::MemoryState state;
  state.memory = random_f64({rows, slots, options.width}, seed++);
  state.reads = random_f64({rows, heads, options.width}, seed++);
  state.write_weights = weights({slots}, keeps_order ? 0.9 : 1.0);
  state.read_weights = weights({heads, slots}, keeps_order ? 0.8 : 1.0);
  if (!keeps_order) return state;
  state.usage = random_f64({rows, slots}, seed++).sigmoid();
  state.precedence = weights({slots}, 0.95);
  state.link = weights({slots, slots}, 0.7) * (1 - torch::eye(slots, torch::kFloat64));
  return state;
}

nn::CellState random_state(const nn::MemoryCell& cell, const nn::MemoryOptions& options,
                           int64_t rows, bool keeps_order, uint64_t seed) {
  const int64_t size = cell.hidden_size();
  const torch::Tensor controller = options.controller == nn::Controller::lstm
                                       ? random_f64({rows, size}, seed + 50)
                                       : torch::Tensor();
  return {random_f64({rows, size}, seed + 51),
          cell.cell_of(controller, random_memory(options, rows, keeps_order, seed))};
}

std::vector<double> numbers(const torch::Tensor& tensor, int64_t row) {
  const torch::Tensor flat = tensor[row].contiguous().flatten();
  return {flat.data_ptr<double>(), flat.data_ptr<double>() + flat.numel()};
}

}  // namespace attend::test
