#pragma once
#include <torch/types.h>

namespace attend::nn {

/// Selects columns of a product, with a separate list of columns for each row. The result of a row
/// does not depend on the other rows.
class OwnColumns {
 public:
  OwnColumns() = default;  ///< all columns, in order
  /// lists [L, W] int32: column numbers below U = `columns`, padded with -1. Initially row i has
  /// list i.
  OwnColumns(const torch::Tensor& lists, int64_t columns);

  /// Gives each new row the list of its parent row; parents [N] int64.
  void select(const torch::Tensor& parents);
  /// y [N, U] -> [N, W]: for each row the columns in its list, then -infinity.
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
