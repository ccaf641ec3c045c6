#pragma once
#include <torch/types.h>

#include <vector>

namespace attend::nn {

/// Input of an attention: any sequence of keys and values, for example an encoder's output.
struct Memory {
  torch::Tensor keys;     // [B, S, C]
  torch::Tensor values;   // [B, S, C]
  torch::Tensor mask;     // [B, S] bool, true = may be attended to
  torch::Tensor lengths;  // [B] int64, same device as keys; real positions of each row
  // If the positions form groups (groups.h), the positions of each group in order, [B, G, L] int64,
  // padded with S. Undefined without groups.
  torch::Tensor columns = {};
  torch::Tensor group_keys = {};  // [B, G, D] keys of the groups

  /// Row i of the result is row rows[i] ([N] int64) of this memory.
  [[nodiscard]] Memory select(const torch::Tensor& rows) const;
};

/// A memory and what an attention computes from it once per sentence. Its rows are sentences. A
/// reader is a row of queries, such as a hypothesis; several readers may share a sentence.
struct PreparedMemory {
  Memory memory;         // its mask excludes positions that the score cannot see
  torch::Tensor keys;    // [B, S, *] the score's projection of the keys, in the score's own form;
                         // with several heads [B, heads, S, *]
  torch::Tensor values;  // [B, heads, S, C / heads]; undefined unless there are several heads
  torch::Tensor
      owners;  // [N] int64: the sentence of each reader; undefined: reader i reads sentence i
  torch::Tensor group_keys = {};  // [B, G, *] the group score's projection; undefined: no groups
  /// [N, heads, S] (one head: [N, 1, S]): weights for one query of each reader, which replace the
  /// computed weights; undefined: none are forced. Loops of fused kernels do not read them.
  torch::Tensor forced_weights = {};

  /// Reader i of the result is reader rows[i] ([N'] int64) of this memory.
  [[nodiscard]] PreparedMemory select(const torch::Tensor& rows) const;
  /// This memory, but select() only reassigns readers to sentences and copies no keys or values.
  [[nodiscard]] PreparedMemory with_owners() const;
  /// This memory with a copy of keys and values for each reader.
  [[nodiscard]] PreparedMemory copy_per_reader() const;
  /// copy_per_reader() with reader n restricted to position columns[n] ([N] int64), unless
  /// columns[n] is negative.
  [[nodiscard]] PreparedMemory restrict_to(const torch::Tensor& columns) const;

  /// All tensors with gradients, in the order that with_vectors() expects; some may be undefined.
  [[nodiscard]] std::vector<torch::Tensor> vectors() const;
  /// Returns this memory with vectors() replaced by `vectors` of the same sizes. Throws
  /// std::out_of_range if there are fewer.
  [[nodiscard]] PreparedMemory with_vectors(const std::vector<torch::Tensor>& vectors) const;
};

}  // namespace attend::nn
