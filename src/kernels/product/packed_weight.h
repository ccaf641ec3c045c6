#pragma once
#include <cstdint>
#include <memory>

#include "kernels/product/gemm.h"

namespace attend::kernels {

/// Storage type of a packed weight.
enum class WeightType {
  f32,
  bf16,  // operands rounded to bf16, sums in float
  int8,  // operands as in int8.h, with a scale per output; exact sums on every CPU
};

/// Returns true if this build and CPU support weights of that type.
[[nodiscard]] bool has_packed(WeightType type);

/// Returns true if a row of a product does not depend on the other rows, to the last bit. A BLAS
/// may change the order of summation with the number of rows.
[[nodiscard]] bool rows_are_independent(WeightType type);

class PackedLayout;

/// A constant weight [out, in], laid out once for products with any number of rows. A BLAS lays out
/// its operands in every product, which costs more than the product itself for the few rows of
/// decoding.
class PackedWeight {
 public:
  /// Copies the weight. Requires: has_packed(type), at least one output and input.
  PackedWeight(Matrix<const float> weight, WeightType type);
  ~PackedWeight();
  PackedWeight(PackedWeight&&) noexcept;
  PackedWeight& operator=(PackedWeight&&) noexcept;

  [[nodiscard]] int64_t outputs() const { return outputs_; }
  [[nodiscard]] int64_t inputs() const { return inputs_; }

  /// y (+)= x W^T for x [rows, in] and y [rows, out]. Thread-safe.
  void multiply(Matrix<const float> x, Matrix<float> y, Into into) const;

 private:
  int64_t outputs_;
  int64_t inputs_;
  std::unique_ptr<PackedLayout> layout_;
};

}  // namespace attend::kernels
