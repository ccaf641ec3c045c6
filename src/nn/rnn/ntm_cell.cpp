#include "nn/rnn/ntm_cell.h"

#include "nn/rnn/addressing.h"

namespace attend::nn {
namespace {

constexpr double kFirstContent = 1e-6;
constexpr int64_t kShifts = 3;

/// Size of the controller's instructions: for each head, the write head first, a key and numbers
/// for strength, gate, shifts and exponent; then the erase and add vectors.
int64_t interface_size(const MemoryOptions& options) {
  return (options.heads + 1) * (options.width + 3 + kShifts) + 2 * options.width;
}

/// New weights of all heads, given their previous weights [N, K, M]. `instructions` [N, K, W + 6].
torch::Tensor moved(const torch::Tensor& instructions, const torch::Tensor& memory,
                    const torch::Tensor& weights) {
  const int64_t width = memory.size(2);
  const std::vector<torch::Tensor> parts =
      instructions.split_with_sizes({width, 1, 1, kShifts, 1}, 2);
  const torch::Tensor content =
      content_weights(memory, parts[0], at::softplus(parts[1]).squeeze(2));
  const torch::Tensor gated = at::lerp(weights, content, parts[2].sigmoid().expand_as(weights));
  return sharpened(shifted(gated, parts[3].softmax(2)), 1 + at::softplus(parts[4]).squeeze(2));
}

}  // namespace

NtmCell::NtmCell(int64_t input_size, int64_t hidden_size, bool layer_norm,
                 const MemoryOptions& options)
    : MemoryCell(input_size, hidden_size, layer_norm, options,
                 torch::zeros({interface_size(options)})) {}

MemoryState NtmCell::access(const torch::Tensor& instructions, const MemoryState& before) const {
  const int64_t heads = options().heads, width = options().width;
  const int64_t to_heads = instructions.size(1) - 2 * width;
  const std::vector<torch::Tensor> parts =
      instructions.split_with_sizes({to_heads, width, width}, 1);
  const torch::Tensor weights =
      moved(parts[0].reshape({instructions.size(0), heads + 1, to_heads / (heads + 1)}),
            before.memory, at::cat({before.write_weights.unsqueeze(1), before.read_weights}, 1));
  MemoryState after;
  after.write_weights = weights.select(1, 0);
  after.read_weights = weights.narrow(1, 1, heads);
  after.memory = written(before.memory, after.write_weights, parts[1].sigmoid(), parts[2].tanh());
  after.reads = read_slots(after.memory, after.read_weights);
  return after;
}

MemoryState NtmCell::first(int64_t rows, const torch::Tensor& like) const {
  const int64_t slots = options().slots, width = options().width, heads = options().heads;
  MemoryState state;
  state.reads = torch::zeros({rows, heads, width}, like.options());
  state.memory = torch::full({rows, slots, width}, kFirstContent, like.options());
  const torch::Tensor at_first_slot = at::constant_pad_nd(
      torch::ones({rows, heads + 1, 1}, like.options()), {0, slots - 1});  // [N, R + 1, M]
  state.write_weights = at_first_slot.select(1, 0);
  state.read_weights = at_first_slot.narrow(1, 1, heads);
  return state;
}

}  // namespace attend::nn
