#pragma once
// A loop over a batch [N, T] of sentences of different lengths would also compute padding. Packing
// sorts the sentences by falling length and lays them out step after step. The rows of a step are
// the sentences that are long enough to have this step. They are the first rows of the previous
// step, so each step is one dense matrix:
//
//   a b c     order: 2 0 1        step 0     1     2   3
//   d         rows:               [e a d]  [f b] [g c] [h]
//   e f g h
//
// A state needs no gathering between steps: the next step reads its first rows. For the backward
// direction each sentence is reversed and packed the same way, so both directions of an encoder run
// through the same steps, and unpack() concatenates them. Matrix products are fastest with few
// different sizes, so in large batches the rows of a step are rounded up to a multiple of 8. The
// additional rows belong to sentences that have ended; they compute on unused values (zeros from
// pack()) and never receive a gradient.
#include <torch/types.h>

#include <array>
#include <memory>
#include <vector>

#include "kernels/layer/steps.h"
#include "nn/fused/gathered_rows.h"
#include "nn/indexed_rows.h"

namespace attend::nn::fused {

/// Direction of a loop through a sequence.
enum class ReadingDirection {
  forward,
  backward,  // from the last real step
};

/// Layout of N sequences of different lengths in a Loop, without padding: longest first, step after
/// step without gaps, P rows in all. In large batches a step may have up to 7 unused rows.
class Packing {
 public:
  /// `lengths` [N] int64 on the CPU, each from 1 to `steps`; throws std::logic_error otherwise. All
  /// other tensors are on `device`.
  Packing(const torch::Tensor& lengths, int64_t steps, torch::Device device = torch::kCPU);
  /// One step of each of N sequences in their given order. Do not call order(), last(), unpack().
  explicit Packing(int64_t sequences);

  [[nodiscard]] const kernels::Steps& steps() const { return *steps_; }
  /// N.
  [[nodiscard]] int64_t sequences() const { return steps_->rows(0); }
  /// T, the number of steps including padding.
  [[nodiscard]] int64_t positions() const { return positions_; }
  /// [N] int64: the sequence that row i of every step belongs to.
  [[nodiscard]] const torch::Tensor& order() const { return order_; }
  /// [N] int64: for each sequence, the index of the packed row (0 to P - 1) that holds its last
  /// step.
  [[nodiscard]] const torch::Tensor& last() const { return last_; }

  /// x [N, T, D] -> [P, D]. Throws std::logic_error for another shape, as unpack() does.
  [[nodiscard]] torch::Tensor pack(const torch::Tensor& x, ReadingDirection reading) const;
  /// Packs x by reordering only its index. A negative index marks an unused row.
  [[nodiscard]] IndexedRows pack(const IndexedRows& x, ReadingDirection reading) const;
  /// Values of a loop, [P, D], and the direction of the loop.
  struct Packed {
    torch::Tensor rows;
    ReadingDirection reading = ReadingDirection::forward;
  };
  /// Unpacks each part and concatenates the results: [N, T, sum of D]. Zero beyond the lengths.
  [[nodiscard]] torch::Tensor unpack(const std::vector<Packed>& parts) const;

 private:
  /// Maps rows of [N, T] to packed rows.
  [[nodiscard]] const RowMap& map(ReadingDirection reading) const;
  [[nodiscard]] RowMap new_map(ReadingDirection reading) const;
  [[nodiscard]] torch::Tensor on_device(const torch::Tensor& numbers) const;

  int64_t positions_;             // T
  std::vector<int64_t> lengths_;  // by sequence
  std::vector<int64_t> order_of_rows_;
  std::shared_ptr<const kernels::Steps> steps_;
  torch::Device device_ = torch::kCPU;
  torch::Tensor order_;  // undefined: in the given order
  torch::Tensor last_;
  mutable std::array<RowMap, 2> maps_;  // cache of map(), by direction
};

}  // namespace attend::nn::fused
