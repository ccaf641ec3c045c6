#pragma once
// Valid states of cells with a memory, in which every part of a step has an effect.
#include "nn/rnn/memory_cell.h"

namespace attend::test {

/// Four slots of three numbers, two heads.
[[nodiscard]] nn::MemoryOptions small_memory(nn::Controller controller = nn::Controller::lstm);

/// A state for `rows` sequences in float64 with random contents. As in practice, weights and order
/// are not negative and sum to at most 1, and usage is between 0 and 1. `keeps_order`: also fills
/// the fields of dnc.
[[nodiscard]] nn::MemoryState random_memory(const nn::MemoryOptions& options, int64_t rows,
                                            bool keeps_order, uint64_t seed);

/// A state of `cell` with a random_memory() and otherwise random numbers.
[[nodiscard]] nn::CellState random_state(const nn::MemoryCell& cell,
                                         const nn::MemoryOptions& options, int64_t rows,
                                         bool keeps_order, uint64_t seed);

/// The numbers of one sequence in a tensor [N, *], row by row.
[[nodiscard]] std::vector<double> numbers(const torch::Tensor& tensor, int64_t row);

}  // namespace attend::test
