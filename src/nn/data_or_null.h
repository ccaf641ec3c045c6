#pragma once
#include <torch/types.h>

namespace attend::nn {

/// The elements of a contiguous tensor for a kernel that may do without; null where it is
/// undefined.
template <class T>
[[nodiscard]] T* data_or_null(const torch::Tensor& x) {
  return x.defined() ? x.template data_ptr<T>() : nullptr;
}

}  // namespace attend::nn
