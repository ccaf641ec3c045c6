#include "nn/rnn/dnc_cell.h"

#include "nn/rnn/addressing.h"

namespace attend::nn {
namespace {

constexpr int64_t kModes = 3;
constexpr double kFirstFree = -4.0;  // bias of the free gate: frees 0.018 of a slot that is read

/// Number of exponents of a head: one each for its backward and forward links, or none.
int64_t exponent_count(const MemoryOptions& options) {
  return options.sharp_links ? 2 : 0;
}

/// Size of the instructions to a read head: key, strength, free gate, modes and exponents.
int64_t reader_size(const MemoryOptions& options) {
  return options.width + 2 + kModes + exponent_count(options);
}

/// Size of the instructions to the write head: key, strength, erase, write vector and two gates.
int64_t writer_size(int64_t width) {
  return 3 * width + 3;
}

/// Initial instructions: all 0 except the free gates, which free almost nothing.
torch::Tensor first_instructions(const MemoryOptions& options) {
  torch::Tensor readers = torch::zeros({options.heads, reader_size(options)});
  readers.select(1, options.width + 1).fill_(kFirstFree);
  return at::cat({readers.flatten(), torch::zeros({writer_size(options.width)})});
}

torch::Tensor strength_of(const torch::Tensor& instructions) {
  return 1 + at::softplus(instructions);
}

/// psi [N, M]: the product over heads of `left` [N, R, M], the share of a slot's usage that each
/// head keeps. (at::prod() is slower: it searches for zeros in its backward pass.)
torch::Tensor kept_share(const torch::Tensor& left) {
  torch::Tensor product = left.select(1, 0);
  for (int64_t head = 1; head < left.size(1); ++head) product = product * left.select(1, head);
  return product;
}

/// Writes to `memory` as instructed by `instructions` [N, 3 W + 3] and sets the new memory in
/// `after`.
void write_memory(const torch::Tensor& instructions, const torch::Tensor& memory,
                  MemoryState& after) {
  const int64_t width = memory.size(2);
  const std::vector<torch::Tensor> parts =
      instructions.split_with_sizes({width, 1, width, width, 1, 1}, 1);
  const torch::Tensor content =
      content_weights(memory, parts[0].unsqueeze(1), strength_of(parts[1])).squeeze(1);
  const torch::Tensor allocated = allocation(after.usage);
  after.write_weights =
      parts[5].sigmoid() * at::lerp(content, allocated, parts[4].sigmoid().expand_as(content));
  after.memory = written(memory, after.write_weights, parts[2].sigmoid(), parts[3]);
}

/// The slots written after (`on`) and before (`back`) the slots that the heads last read,
/// [N, R, M].
struct LinkedSlots {
  torch::Tensor on, back;
};

/// Updates the write order after a write.
LinkedSlots link_writes(const MemoryState& before, MemoryState& after) {
  const torch::Tensor& weights = after.write_weights;
  const torch::Tensor row = weights.unsqueeze(2), column = weights.unsqueeze(1);
  const torch::Tensor linked =
      at::addcmul((1 - row - column) * before.link, row, before.precedence.unsqueeze(1));
  after.link = linked * (1 - torch::eye(weights.size(1), weights.options()));
  after.precedence = (1 - weights.sum(1, /*keepdim=*/true)) * before.precedence + weights;
  return {at::bmm(before.read_weights, after.link.transpose(1, 2)),
          at::bmm(before.read_weights, after.link)};
}

/// Instructions to the read heads.
struct Readers {
  torch::Tensor keys;       // [N, R, W]
  torch::Tensor strengths;  // [N, R]
  torch::Tensor modes;      // [N, R, 3] backward, by content, forward
  torch::Tensor exponents;  // [N, R, 2] backward and forward; [N, R, 0] without sharp_links
};

/// `weights` [N, R, M] sharpened by exponent `index` of each head, if there are exponents.
torch::Tensor directed(const torch::Tensor& weights, const torch::Tensor& exponents,
                       int64_t index) {
  return exponents.size(2) == 0 ? weights : sharpened(weights, exponents.select(2, index));
}

void read_memory(const Readers& readers, const LinkedSlots& slots, MemoryState& after) {
  const torch::Tensor found = content_weights(after.memory, readers.keys, readers.strengths);
  after.read_weights = readers.modes.narrow(2, 0, 1) * directed(slots.back, readers.exponents, 0) +
                       readers.modes.narrow(2, 1, 1) * found +
                       readers.modes.narrow(2, 2, 1) * directed(slots.on, readers.exponents, 1);
  after.reads = read_slots(after.memory, after.read_weights);
}

}  // namespace

DncCell::DncCell(int64_t input_size, int64_t hidden_size, bool layer_norm,
                 const MemoryOptions& options)
    : MemoryCell(input_size, hidden_size, layer_norm, options, first_instructions(options)) {}

MemoryState DncCell::access(const torch::Tensor& instructions, const MemoryState& before) const {
  const int64_t heads = options().heads, width = options().width,
                reader_numbers = reader_size(options());
  const std::vector<torch::Tensor> halves =
      instructions.split_with_sizes({heads * reader_numbers, writer_size(width)}, 1);
  const std::vector<torch::Tensor> reader =
      halves[0]
          .reshape({instructions.size(0), heads, reader_numbers})
          .split_with_sizes({width, 1, 1, kModes, exponent_count(options())}, 2);
  MemoryState after;
  after.usage = (before.usage + before.write_weights - before.usage * before.write_weights) *
                kept_share(1 - reader[2].sigmoid() * before.read_weights);
  write_memory(halves[1], before.memory, after);
  const LinkedSlots slots = link_writes(before, after);
  read_memory(
      {reader[0], strength_of(reader[1]).squeeze(2), reader[3].softmax(2), strength_of(reader[4])},
      slots, after);
  return after;
}

MemoryState DncCell::first(int64_t rows, const torch::Tensor& like) const {
  const int64_t slots = options().slots, width = options().width, heads = options().heads;
  const auto zeros = [&](std::vector<int64_t> sizes) {
    sizes.insert(sizes.begin(), rows);
    return torch::zeros(sizes, like.options());
  };
  return {zeros({heads, width}), zeros({slots, width}), zeros({slots}),       zeros({heads, slots}),
          zeros({slots}),        zeros({slots}),        zeros({slots, slots})};
}

}  // namespace attend::nn
