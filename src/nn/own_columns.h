#pragma once
#include <torch/types.h>

namespace attend::nn {

/// The columns of a product that each of its rows has to itself, as its list says: what others are
/// computed with a row does not matter to it.
class OwnColumns {
 public:
  OwnColumns() = default;  ///< all columns, as they are
  /// lists [L, W] int32: of U columns those of each list, and -1 behind them. Rows are at first one
  /// per list.
  OwnColumns(const torch::Tensor& lists, int64_t columns);

  /// Each new row has the columns of the old one that it goes on from, parents [N] int64.
  void select(const torch::Tensor& parents);
  /// y [N, U] -> [N, W]: column c is the c-th of the row's list, -infinity where that has fewer.
  [[nodiscard]] torch::Tensor of(const torch::Tensor& y) const;
  /// of(x W^T + b) for x [N, D], weight [U, D] and bias [U]. In float on the CPU no other columns
  /// are computed.
  [[nodiscard]] torch::Tensor of_product(const torch::Tensor& x, const torch::Tensor& weight,
                                         const torch::Tensor& bias) const;

 private:
  bool are_all_ = true;   // each list has all columns in their order
  torch::Tensor lists_;   // [L, W]; undefined: all columns
  torch::Tensor by_row_;  // [N] int64: the list of each row
};

}  // namespace attend::nn
