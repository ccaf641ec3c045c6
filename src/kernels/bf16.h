#pragma once
#include <cstdint>
#include <memory>

#include "kernels/gemm.h"

namespace attend::kernels {

/// The upper half of a float: 8 bits of exponent, 7 of fraction.
using Bf16 = uint16_t;

/// Rounds to the nearest, ties to even; not-a-number stays one.
void to_bf16(const float* from, Bf16* to, int64_t count);
/// The same for the rows of a matrix, to rows without a gap.
void to_bf16(Matrix<const float> from, Bf16* to);

/// Whether this CPU multiplies bf16 matrices faster than float ones.
[[nodiscard]] bool has_fast_bf16();

/// A product of matrices in bf16 with sums in float, prepared for one set of sizes: c (+)= a b for
/// any a [m, k] and b [k, n]. `transposed` operands lie in memory the other way round: a as [k, m],
/// b as [n, k]. Rows have no gaps.
class Bf16Product {
 public:
  struct Sizes {
    int64_t m = 0;
    int64_t n = 0;
    int64_t k = 0;
    bool a_transposed = false;
    bool b_transposed = false;
  };

  Bf16Product(const Sizes& sizes, int64_t stride_c, Into into);
  ~Bf16Product();
  Bf16Product(Bf16Product&&) noexcept;
  Bf16Product& operator=(Bf16Product&&) noexcept;

  /// For several threads at once, too.
  void operator()(const Bf16* a, const Bf16* b, float* c);

 private:
  struct Primitive;
  Sizes sizes_;
  int64_t stride_c_;
  Into into_;
  std::unique_ptr<Primitive> primitive_;  // null where there is nothing to multiply
};

}  // namespace attend::kernels
