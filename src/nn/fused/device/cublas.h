#pragma once
#include <torch/types.h>

#include <array>
#include <cstdint>
#include <type_traits>

namespace attend::nn::fused::device {

/// A column-major factor of a product.
struct CublasFactor {
  const void* data = nullptr;
  torch::ScalarType type = torch::kFloat32;
  int64_t stride = 0;  // between columns
};

/// c [m, n] (+)= a [m, k] b [k, n] of column-major matrices. `a_turned`: a is stored as [k, m];
/// `b_turned`: b as [n, k]. Sums are double for double factors, otherwise float.
struct CublasProduct {
  bool a_turned = false, b_turned = false;
  std::array<int64_t, 3> sizes;  // m, n, k
  CublasFactor a, b;
  bool adds = false;
  void* c = nullptr;
  torch::ScalarType c_type = torch::kFloat32;
  int64_t c_stride = 0;
};

template <class T>
[[nodiscard]] constexpr torch::ScalarType number_type() {
  if constexpr (std::is_same_v<T, double>) return torch::kFloat64;
  return std::is_same_v<T, float> ? torch::kFloat32 : torch::kBFloat16;
}

/// Returns true if the cuBLAS of LibTorch can be called.
[[nodiscard]] bool has_cublas();

/// Runs the product on the current GPU in its current stream, with LibTorch's handle and settings.
/// Throws std::runtime_error if it cannot be started.
void run_cublas(const CublasProduct& product);

}  // namespace attend::nn::fused::device
