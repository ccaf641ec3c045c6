#pragma once
#include <torch/types.h>

namespace attend::nn {

/// Calls `work` with a 0 of the element type of `x`. Requires: float or double, the types that
/// kernels support.
///
///     for_type_of(x, [&](auto zero) { run<decltype(zero)>(x, y); });
template <class Work>
void for_type_of(const torch::Tensor& x, const Work& work) {
  x.scalar_type() == torch::kFloat64 ? work(double{}) : work(float{});
}

}  // namespace attend::nn
