#include "nn/own_columns.h"

#include <limits>

#include "kernels/layer/columns.h"
#include "nn/matrix_of.h"

namespace attend::nn {
namespace {

bool are_all(const torch::Tensor& lists, int64_t columns) {
  return lists.size(1) == columns && lists.ge(0).all().item<bool>();
}

kernels::RowColumns of_rows(const torch::Tensor& lists, const torch::Tensor& by_row) {
  return {matrix_of<const int32_t>(lists), by_row.data_ptr<int64_t>()};
}

bool is_for_kernel(const torch::Tensor& x) {
  return x.is_cpu() && x.scalar_type() == torch::kFloat && x.stride(1) == 1;
}

torch::Tensor gathered_by_library(const torch::Tensor& y, const torch::Tensor& lists,
                                  const torch::Tensor& by_row) {
  const torch::Tensor columns = lists.index_select(0, by_row).to(torch::kInt64);
  return y.gather(1, columns.clamp_min(0))
      .masked_fill_(columns.lt(0), -std::numeric_limits<double>::infinity());
}

}  // namespace

OwnColumns::OwnColumns(const torch::Tensor& lists, int64_t columns)
    : are_all_(are_all(lists, columns)),
      lists_(lists),
      by_row_(torch::arange(lists.size(0), lists.options().dtype(torch::kInt64))) {}

void OwnColumns::select(const torch::Tensor& parents) {
  if (lists_.defined()) by_row_ = by_row_.index_select(0, parents);
}

torch::Tensor OwnColumns::of(const torch::Tensor& y) const {
  if (are_all_) return y;
  if (!is_for_kernel(y)) return gathered_by_library(y, lists_, by_row_);
  torch::Tensor own = torch::empty({y.size(0), lists_.size(1)}, y.options());
  kernels::gather_columns(matrix_of<const float>(y), of_rows(lists_, by_row_),
                          matrix_of<float>(own));
  return own;
}

torch::Tensor OwnColumns::of_product(const torch::Tensor& x, const torch::Tensor& weight,
                                     const torch::Tensor& bias) const {
  if (!lists_.defined() || !is_for_kernel(x)) return of(at::linear(x, weight, bias));
  torch::Tensor own = torch::empty({x.size(0), lists_.size(1)}, x.options());
  kernels::product_of_columns(matrix_of<const float>(x), matrix_of<const float>(weight),
                              bias.data_ptr<float>(), of_rows(lists_, by_row_),
                              matrix_of<float>(own));
  return own;
}

}  // namespace attend::nn
