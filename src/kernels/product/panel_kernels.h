#pragma once
/// The products that panels.cpp and int8_panels.cpp choose from, each compiled for one set of
/// instructions. Requires: instructions_in_use() include those in the function's name.
#include <cstddef>
#include <cstdint>

#include "kernels/cpu/compiler.h"
#include "kernels/product/gemm.h"

namespace attend::kernels {

/// c (+)= a b for a [m, k] or, `a_transposed`, [k, m], and panels of b [k, n].
struct PanelProduct {
  Matrix<const float> a;
  bool a_transposed = false;
  const std::byte* b = nullptr;
  int64_t k = 0;
  Matrix<float> c;
  Into into = Into::overwrite;
};

/// Products of float matrices.
struct PanelKernels {
  /// Bytes of the panels of b [k, n].
  std::size_t (*size)(int64_t k, int64_t n);
  /// Lays out b [k, n] or, `transposed`, [n, k] at `to`, aligned to 64 bytes.
  void (*lay_out)(Matrix<const float> b, bool transposed, std::byte* to);
  void (*multiply)(const PanelProduct& product);
};

/// Two bf16 numbers, adjacent along k, the first in the lower half.
using Bf16Pair = uint32_t;

/// Four bytes of numbers adjacent along k, for one lane of a register.
using Int8Group = uint32_t;

/// y (+)= row_scales column_scales (x w^T - offsets) for x [rows, units] and the panels of w.
struct Int8PanelProduct {
  int64_t rows = 0;
  int64_t units = 0;
  const Int8Group* x = nullptr;          // [rows, units]
  const std::byte* weight = nullptr;     // [panels, units, width, depth]
  const int32_t* offsets = nullptr;      // [panels, width]
  const float* row_scales = nullptr;     // [rows]
  const float* column_scales = nullptr;  // [panels, width]
  Matrix<float> y;
  Into into = Into::overwrite;
};

/// Products of int8 matrices.
struct Int8Kernels {
  int64_t width = 0;  // columns of a panel
  int64_t depth = 0;  // numbers per unit: 4 of uint8 in x, or 2 of int16
  void (*multiply)(const Int8PanelProduct& product);
  int64_t whole_rows = 1;   // x has memory for a multiple of this many rows
  int64_t whole_units = 1;  // x and the weight have memory for a multiple of this many units
};

#if defined(__x86_64__) && defined(__GNUC__)
#define ATTEND_HAS_PANELS
[[nodiscard]] const PanelKernels& panels_avx2();
[[nodiscard]] const PanelKernels& panels_avx512();
[[nodiscard]] const PanelKernels& panels_avx512_bf16();
#ifdef ATTEND_HAS_AMX
[[nodiscard]] const PanelKernels& panels_amx();  // bf16
[[nodiscard]] const Int8Kernels& int8_amx();
#endif
[[nodiscard]] const Int8Kernels& int8_avx2();
[[nodiscard]] const Int8Kernels& int8_avx2_vnni();
[[nodiscard]] const Int8Kernels& int8_avx512();
[[nodiscard]] const Int8Kernels& int8_avx512_vnni();
#endif

}  // namespace attend::kernels
