#pragma once
#include <torch/types.h>

#include <type_traits>

#include "kernels/product/gemm.h"

namespace attend::nn {

/// Views x [N, D], of type T on the CPU, as a kernels::Matrix. Requires: contiguous rows.
template <class T>
[[nodiscard]] kernels::Matrix<T> matrix_of(const torch::Tensor& x) {
  // A single row may have any stride, but BLAS does not accept every stride.
  const int64_t stride = x.size(0) > 1 ? x.stride(0) : x.size(1);
  return {x.data_ptr<std::remove_const_t<T>>(), x.size(0), x.size(1), stride};
}

}  // namespace attend::nn
