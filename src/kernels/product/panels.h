#pragma once
#include <cstddef>
#include <cstdint>

#include "kernels/cpu/block_memory.h"
#include "kernels/product/gemm.h"

namespace attend::kernels {

/// Whether products run on Panels: instructions_in_use() have AVX2, and for bf16 what AVX-512 or
/// AMX has for that.
[[nodiscard]] bool has_panels(Precision precision);

struct PanelKernels;

/// The right operand b [k, n] of matrix products, laid out for vector registers: in panels of as
/// many columns as two of them have, each row after row (in bf16 two rows at a time), or in tiles
/// for matrix registers, filled up with zeros. A BLAS lays out its operands in such a way in every
/// product; a weight that several products read is laid out once. What a product computes for an
/// element of c depends neither on the number of threads nor on what else is computed with it.
class Panels {
 public:
  /// Copies b [k, n] or, `transposed`, [n, k]. Throws std::logic_error unless
  /// has_panels(precision).
  Panels(Matrix<const float> b, bool transposed, Precision precision);

  /// c (+)= a b for a [m, k] or, `a_transposed`, [k, m]; in bf16, a is rounded on the way. For
  /// several threads at once, too. Throws std::logic_error where sizes do not fit.
  void multiply(Matrix<const float> a, bool a_transposed, Matrix<float> c, Into into) const;

 private:
  int64_t rows_;     // k
  int64_t columns_;  // n
  const PanelKernels* kernels_;
  Numbers<std::byte> units_;
};

}  // namespace attend::kernels
