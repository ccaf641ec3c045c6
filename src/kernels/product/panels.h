#pragma once
#include <cstddef>
#include <cstdint>

#include "kernels/cpu/block_memory.h"
#include "kernels/product/gemm.h"

namespace attend::kernels {

/// Returns true if Panels are available: instructions_in_use() include AVX2, or for bf16 the bf16
/// products of AVX-512 or AMX.
[[nodiscard]] bool has_panels(Precision precision);

struct PanelKernels;

/// The right operand b [k, n] of matrix products. It is laid out once for several products, whereas
/// a BLAS does this in every product. For vector registers the layout is panels as wide as two
/// registers, row after row (in bf16 two rows at a time); for matrix registers it is tiles. Both
/// are padded with zeros. An element of c does not depend on the number of threads or on other
/// elements.
class Panels {
 public:
  /// Copies b [k, n] or, `transposed`, [n, k]. Throws std::logic_error unless
  /// has_panels(precision).
  Panels(Matrix<const float> b, bool transposed, Precision precision);

  /// c (+)= a b for a [m, k] or, `a_transposed`, [k, m]; in bf16, a is rounded first.
  /// Thread-safe. Throws std::logic_error if the sizes do not match.
  void multiply(Matrix<const float> a, bool a_transposed, Matrix<float> c, Into into) const;

 private:
  int64_t rows_;     // k
  int64_t columns_;  // n
  const PanelKernels* kernels_;
  Numbers<std::byte> units_;
};

}  // namespace attend::kernels
