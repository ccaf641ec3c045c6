#pragma once
// Sentences of a batch differ in length, and a loop over [N, T] would compute every step for every
// sentence, padding included. Packed, the sentences are sorted by falling length and laid out step
// after step, so that the rows of a step are those sentences that have it, they are the first ones
// of the step before, and each step is one dense matrix:
//
//   a b c     order: 2 0 1        step 0     1     2   3
//   d         rows:               [e a d]  [f b] [g c] [h]
//   e f g h
//
// A state needs no gathering from step to step: its first rows are simply read. A reading from the
// end is packed the same way, each sentence turned around by itself, so that both directions of an
// encoder go through the same steps and unpack() puts them side by side. Matrix products are
// fastest in few sizes, so in large batches the rows of a step are rounded up to a multiple of 8:
// the rows too many belong to sentences that have ended, compute on what they find (zeros from
// pack()), and no gradient ever arrives for them.
#include <torch/types.h>

#include <memory>
#include <vector>

#include "kernels/layer/steps.h"
#include "nn/fused/gathered_rows.h"
#include "nn/indexed_rows.h"

namespace attend::nn::fused {

/// Which way a loop goes through a sequence.
enum class ReadingDirection {
  forward,
  backward,  // from the last step that the sequence has
};

/// How N sequences of different lengths lie in a Loop, which then leaves out the steps that they do
/// not have: long ones first, and step after step without gaps, P rows in all. In large batches a
/// step takes up to 15 rows too many, so that matrix products come in few sizes; what they compute
/// goes nowhere.
class Packing {
 public:
  /// `lengths` [N] int64 on the CPU, each from 1 to `steps`. Throws std::logic_error for others.
  Packing(const torch::Tensor& lengths, int64_t steps);
  /// One step of each of N sequences, as they come. There is no order(), last() and unpack().
  explicit Packing(int64_t sequences);

  [[nodiscard]] const kernels::Steps& steps() const { return *steps_; }
  /// N.
  [[nodiscard]] int64_t sequences() const { return steps_->rows(0); }
  /// T, the steps with padding.
  [[nodiscard]] int64_t positions() const { return positions_; }
  /// [N] int64: which sequence each row of a step is.
  [[nodiscard]] const torch::Tensor& order() const { return order_; }
  /// [N] int64: which of the P rows has the last step of each sequence.
  [[nodiscard]] const torch::Tensor& last() const { return last_; }

  /// x [N, T, D] -> [P, D]. Throws std::logic_error for another shape, as unpack() does.
  [[nodiscard]] torch::Tensor pack(const torch::Tensor& x, ReadingDirection reading) const;
  /// The same for x of which only the index is arranged anew. Negative: the row goes nowhere.
  [[nodiscard]] IndexedRows pack(const IndexedRows& x, ReadingDirection reading) const;
  /// What a loop computed, [P, D], and which way it went.
  struct Packed {
    torch::Tensor rows;
    ReadingDirection reading = ReadingDirection::forward;
  };
  /// Back to where each belongs, side by side: [N, T, D of all]. Zero beyond the lengths.
  [[nodiscard]] torch::Tensor unpack(const std::vector<Packed>& parts) const;

 private:
  /// From rows of [N, T] to packed ones.
  [[nodiscard]] RowMap map(ReadingDirection reading) const;

  int64_t positions_;             // T
  std::vector<int64_t> lengths_;  // by sequence
  std::shared_ptr<const kernels::Steps> steps_;
  torch::Tensor order_;  // undefined: as they come
  torch::Tensor last_;
};

}  // namespace attend::nn::fused
