#pragma once
#include <cstdint>

#include "kernels/cpu/block_memory.h"
#include "kernels/product/gemm.h"

namespace attend::kernels {

/// Whether there are Int8Panels: instructions_in_use() have AVX2.
[[nodiscard]] bool has_int8_panels();

struct Int8Kernels;

/// A weight w [outputs, inputs] in int8, as to_int8() of int8.h gives it, laid out for vector
/// registers.
class Int8Panels {
 public:
  /// Copies w, rows without a gap, and a scale for each output. Requires: has_int8_panels(), inputs
  /// <= 2^17, so that sums fit 32 bits.
  Int8Panels(int64_t outputs, int64_t inputs, const int8_t* w, const float* scales);

  /// y (+)= what x w^T stands for, x [rows, inputs] becoming int8 on the way. Sums are exact: y is
  /// the same to the last bit with all instructions, threads and other rows. For several threads at
  /// once, too.
  void multiply(Matrix<const float> x, Matrix<float> y, Into into) const;

 private:
  [[nodiscard]] int64_t units() const;
  void lay_out(const int8_t* w);
  void lay_out_panel(const int8_t* w, int64_t panel);

  int64_t outputs_, inputs_;
  const Int8Kernels* kernels_;
  Numbers<int8_t> weight_;    // [panels, units, width, depth]
  Numbers<int32_t> offsets_;  // [panels, width]
  Numbers<float> scales_;     // the same
};

}  // namespace attend::kernels
