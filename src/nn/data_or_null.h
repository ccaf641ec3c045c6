#pragma once
#include <torch/types.h>

namespace attend::nn {

/// The elements of a contiguous tensor; null if it is undefined.
template <class T>
[[nodiscard]] T* data_or_null(const torch::Tensor& x) {
  return x.defined() ? x.template data_ptr<T>() : nullptr;
}

}  // namespace attend::nn
