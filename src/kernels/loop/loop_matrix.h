#pragma once
#include "kernels/loop/loop.h"
#include "kernels/product/gemm.h"

namespace attend::kernels {

/// All steps of a series as one matrix.
template <class T>
[[nodiscard]] Matrix<T> all_steps(T* data, const auto& series) {
  return {data, series.steps->total(), series.size, series.size};
}

}  // namespace attend::kernels
