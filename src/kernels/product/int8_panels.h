#pragma once
#include <cstdint>

#include "kernels/cpu/block_memory.h"
#include "kernels/product/gemm.h"

namespace attend::kernels {

/// Returns true if Int8Panels are available: instructions_in_use() include AVX2.
[[nodiscard]] bool has_int8_panels();

struct Int8Kernels;

/// A weight w [outputs, inputs] from to_int8(), laid out for vector registers.
class Int8Panels {
 public:
  /// Copies w, whose rows have no gaps, and a scale for each output. Requires: has_int8_panels(),
  /// and inputs <= 2^17, so that sums fit 32 bits.
  Int8Panels(int64_t outputs, int64_t inputs, const int8_t* w, const float* scales);

  /// y (+)= x w^T for x [rows, inputs], which is quantised to int8 first. Sums are exact: y does
  /// not depend on the instructions, threads or other rows, to the last bit. Thread-safe.
  void multiply(Matrix<const float> x, Matrix<float> y, Into into) const;

 private:
  [[nodiscard]] int64_t units() const;
  void lay_out(const int8_t* w);
  void lay_out_panel(const int8_t* w, int64_t panel);

  int64_t outputs_, inputs_;
  const Int8Kernels* kernels_;
  Numbers<int8_t> weight_;    // [panels, units, width, depth]
  Numbers<int32_t> offsets_;  // [panels, width]
  Numbers<float> scales_;     // [panels, width]
};

}  // namespace attend::kernels
