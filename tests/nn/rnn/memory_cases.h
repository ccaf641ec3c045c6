#pragma once
// Possible states of cells with a memory, in which every part of a step has an effect.
#include "nn/rnn/memory_cell.h"

namespace attend::test {

/// Four slots of three numbers, two heads.
[[nodiscard]] nn::MemoryOptions small_memory(nn::Controller controller = nn::Controller::lstm);

/// A state for `rows` sequences in float64, with random contents and positive weights, usage and
/// order that sum to at most 1, as real ones do. `keeps_order`: with the fields of dnc.
[[nodiscard]] nn::MemoryState random_memory(const nn::MemoryOptions& options, int64_t rows,
                                            bool keeps_order, uint64_t seed);

/// A state of `cell` with such a memory and otherwise random numbers.
[[nodiscard]] nn::CellState random_state(const nn::MemoryCell& cell,
                                         const nn::MemoryOptions& options, int64_t rows,
                                         bool keeps_order, uint64_t seed);

/// The numbers of one sequence in a tensor [N, *], row by row.
[[nodiscard]] std::vector<double> numbers(const torch::Tensor& tensor, int64_t row);

}  // namespace attend::test
