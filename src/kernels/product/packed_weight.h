#pragma once
#include <cstdint>
#include <memory>

#include "kernels/product/gemm.h"

namespace attend::kernels {

/// What a packed weight is kept in.
enum class WeightType {
  f32,
  bf16,  // operands rounded to bf16, sums in float
  int8,  // operands as in int8.h, the weight with a scale for each output; sums exact on every CPU
};

/// Whether this program and CPU multiply by weights of that type.
[[nodiscard]] bool has_packed(WeightType type);

/// Whether a row of such a product is the same to the last bit whatever rows are multiplied with
/// it. A library that is told how many there are may add in another order.
[[nodiscard]] bool rows_are_independent(WeightType type);

class PackedLayout;

/// A weight [out, in] that does not change any more, laid out once for products with any number of
/// rows. Where BLAS lays out its operands anew in every product, that costs more than the product
/// itself as long as the rows are few, as they are in decoding.
class PackedWeight {
 public:
  /// Copies the weight. Requires: has_packed(type), at least one output and input.
  PackedWeight(Matrix<const float> weight, WeightType type);
  ~PackedWeight();
  PackedWeight(PackedWeight&&) noexcept;
  PackedWeight& operator=(PackedWeight&&) noexcept;

  [[nodiscard]] int64_t outputs() const { return outputs_; }
  [[nodiscard]] int64_t inputs() const { return inputs_; }

  /// y (+)= x W^T for x [rows, in] and y [rows, out]. For several threads at once, too.
  void multiply(Matrix<const float> x, Matrix<float> y, Into into) const;

 private:
  int64_t outputs_;
  int64_t inputs_;
  std::unique_ptr<PackedLayout> layout_;
};

}  // namespace attend::kernels
