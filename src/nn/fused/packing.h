#pragma once
#include <torch/types.h>

#include <memory>
#include <vector>

#include "kernels/steps.h"
#include "nn/fused/gathered_rows.h"
#include "nn/indexed_rows.h"

namespace attend::nn::fused {

/// Which way a loop goes through a sequence.
enum class Reading {
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
  [[nodiscard]] torch::Tensor pack(const torch::Tensor& x, Reading reading) const;
  /// The same for x of which only the index is arranged anew. Negative: the row goes nowhere.
  [[nodiscard]] IndexedRows pack(const IndexedRows& x, Reading reading) const;
  /// What a loop computed, [P, D], and which way it went.
  struct Packed {
    torch::Tensor rows;
    Reading reading = Reading::forward;
  };
  /// Back to where each belongs, side by side: [N, T, D of all]. Zero beyond the lengths.
  [[nodiscard]] torch::Tensor unpack(const std::vector<Packed>& parts) const;

 private:
  /// From rows of [N, T] to packed ones.
  [[nodiscard]] RowMap map(Reading reading) const;

  int64_t positions_;             // T
  std::vector<int64_t> lengths_;  // by sequence
  std::shared_ptr<const kernels::Steps> steps_;
  torch::Tensor order_;  // undefined: as they come
  torch::Tensor last_;
};

}  // namespace attend::nn::fused
