#pragma once
#include "kernels/gemm.h"
#include "kernels/loop.h"

namespace attend::kernels {

/// All steps of a series as one matrix.
template <class T>
[[nodiscard]] Matrix<T> all_steps(T* data, const auto& series) {
  return {data, series.steps->total(), series.size, series.size};
}

}  // namespace attend::kernels
