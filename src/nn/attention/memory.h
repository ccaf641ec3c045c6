#pragma once
#include <torch/types.h>

#include <vector>

namespace attend::nn {

/// What an attention reads: any sequence of keys and values, not only an encoder's output.
struct Memory {
  torch::Tensor keys;     // [B, S, C]
  torch::Tensor values;   // [B, S, C]
  torch::Tensor mask;     // [B, S] bool, true = may be attended to
  torch::Tensor lengths;  // [B] int64, same device as keys; real positions of each row
  // Of a memory whose positions form groups (groups.h): the positions of each group in their order,
  // [B, G, L] int64, S where there are no more; undefined: there are no groups.
  torch::Tensor columns = {};
  torch::Tensor group_keys = {};  // [B, G, D] what a query compares groups by

  /// Row i of the result is row rows[i] ([N] int64) of this memory.
  [[nodiscard]] Memory select(const torch::Tensor& rows) const;
};

/// A memory with what an attention computes from it once per sentence. Its rows are sentences;
/// those that read it may be hypotheses, several of one sentence.
struct PreparedMemory {
  Memory memory;         // its mask without the positions that the score cannot see
  torch::Tensor keys;    // [B, S, *] the score's projection of the keys; its meaning is the score's
                         // own; with several heads [B, heads, S, *]
  torch::Tensor values;  // [B, heads, S, C / heads]; undefined unless there are several heads
  torch::Tensor
      owners;  // [N] int64: the sentence of each reader; undefined: reader i is sentence i
  torch::Tensor group_keys = {};  // [B, G, *] the group score's projection; undefined: no groups

  /// Reader i of the result is reader rows[i] ([N'] int64) of this one.
  [[nodiscard]] PreparedMemory select(const torch::Tensor& rows) const;
  /// The same, but select() of it moves no keys and values: readers keep to their sentences.
  [[nodiscard]] PreparedMemory shared() const;
  /// The same with keys and values of its own for each reader.
  [[nodiscard]] PreparedMemory spread() const;
  /// spread(), where reader n sees position columns[n] ([N] int64) alone, or, if that is negative,
  /// what it saw.
  [[nodiscard]] PreparedMemory only(const torch::Tensor& columns) const;

  /// All that has a gradient, in the order of with_vectors(); some may be undefined.
  [[nodiscard]] std::vector<torch::Tensor> vectors() const;
  /// The same memory with others in their places: as many, each of the sizes of the one it
  /// replaces. Throws std::out_of_range for fewer.
  [[nodiscard]] PreparedMemory with_vectors(const std::vector<torch::Tensor>& vectors) const;
};

}  // namespace attend::nn
