#pragma once
// States of cells with a memory that could have come about, so that every part of a step shows.
#include "nn/rnn/memory_cell.h"

namespace attend::test {

/// Four slots of three numbers, two heads.
[[nodiscard]] nn::MemoryOptions small_memory(const std::string& controller = "lstm");

/// For `rows` sequences, in float64: random contents; weights, usage and order that are positive
/// and add up to 1 or less, as real ones do. `keeps_order`: with the fields of dnc.
[[nodiscard]] nn::MemoryState random_memory(const nn::MemoryOptions& options, int64_t rows,
                                            bool keeps_order, uint64_t seed);

/// A state of `cell` with such a memory, its other numbers random.
[[nodiscard]] nn::CellState random_state(const nn::MemoryCell& cell,
                                         const nn::MemoryOptions& options, int64_t rows,
                                         bool keeps_order, uint64_t seed);

/// The numbers of one sequence of a tensor [N, *], row by row.
[[nodiscard]] std::vector<double> numbers(const torch::Tensor& tensor, int64_t row);

}  // namespace attend::test
