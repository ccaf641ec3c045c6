#pragma once
#include <torch/types.h>

namespace attend::nn {

/// Selects columns of a product for each of its rows, from a list per row. Results of a row do not
/// depend on the other rows.
class OwnColumns {
 public:
  OwnColumns() = default;  ///< all columns, in order
  /// lists [L, W] int32: each selects from `columns` U columns and is padded with -1. Initially row
  /// i has list i.
  OwnColumns(const torch::Tensor& lists, int64_t columns);

  /// Gives each new row the list of its parent row; parents [N] int64.
  void select(const torch::Tensor& parents);
  /// y [N, U] -> [N, W]: column c of the row's list, or -infinity beyond its end.
  [[nodiscard]] torch::Tensor of(const torch::Tensor& y) const;
  /// of(x W^T + b) for x [N, D], weight [U, D] and bias [U]. For float on the CPU it computes only
  /// the selected columns.
  [[nodiscard]] torch::Tensor of_product(const torch::Tensor& x, const torch::Tensor& weight,
                                         const torch::Tensor& bias) const;

 private:
  bool are_all_ = true;   // every row has all columns in order
  torch::Tensor lists_;   // [L, W]; undefined: all columns
  torch::Tensor by_row_;  // [N] int64: the list of each row
};

}  // namespace attend::nn
