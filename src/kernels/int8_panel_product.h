#pragma once
/// Products of int8 matrices for one set of instructions: `multiply_int8<Set>()`. See panel_tile.h
/// for ATTEND_TARGET and what a `Set` is; here it also writes:
///   write_scaled(sum, scales, y, count, into)
#include <algorithm>

#include "kernels/panel_kernels.h"
#include "kernels/panel_tile.h"
#include "kernels/parallel.h"

namespace attend::kernels {
namespace {

/// What a sum of int8 becomes a float by: row column (sum - offset).
struct Int8Scales {
  float row = 0.0F;
  const float* columns = nullptr;
  const int32_t* offsets = nullptr;
};

/// A part of y.
struct ScaledResult {
  float* y = nullptr;
  int64_t stride = 0;
  int64_t columns = 0;                   // from here on
  const float* row_scales = nullptr;     // the same
  const float* column_scales = nullptr;  // the same
  const int32_t* offsets = nullptr;      // the same
  Into into = Into::overwrite;

  [[nodiscard]] ScaledResult at(int64_t row, int64_t column) const {
    return {y + row * stride + column,
            stride,
            columns - column,
            row_scales + row,
            column_scales + column,
            offsets + column,
            into};
  }
  ATTEND_TARGET_INLINE void expect(int64_t row, int64_t column) const {
    _mm_prefetch(reinterpret_cast<const char*>(y + row * stride + column), _MM_HINT_T0);
  }
  template <class Set>
  ATTEND_TARGET_INLINE void take(int64_t row, int64_t column, typename Set::Sum sum) const {
    Set::write_scaled(sum, {row_scales[row], column_scales + column, offsets + column},
                      y + row * stride + column, columns - column, into);
  }
};

/// Some rows by some panels. Sums are of whole columns, so k is not divided.
template <class Set>
void multiply_int8_block(const Int8PanelProduct& product, int64_t row, int64_t rows, int64_t panel,
                         int64_t panels) {
  Tiles<Set> tiles;
  tiles.a = product.x + row * product.units;
  tiles.a_step = product.units;
  tiles.b_step = product.units * kPanelWidth<Set>;
  tiles.b = reinterpret_cast<const typename Set::RightUnit*>(product.weight) + panel * tiles.b_step;
  tiles.rows = rows;
  tiles.panels = panels;
  tiles.units = product.units;
  const Matrix<float>& y = product.y;
  const ScaledResult result{
      y.data,          y.stride,    y.columns, product.row_scales, product.column_scales,
      product.offsets, product.into};
  multiply_tiles(tiles, result.at(row, panel * kPanelWidth<Set>));
}

/// All of it, each thread its share of the panels of all blocks of rows.
template <class Set>
void multiply_int8(const Int8PanelProduct& product) {
  const int64_t panels = panels_of<Set>(product.y.columns);
  const int64_t blocks = (product.rows + Set::kBlockRows - 1) / Set::kBlockRows;
  const int64_t size = (product.rows + blocks - 1) / blocks;
  parallel_shares(blocks * panels, [&](int64_t begin, int64_t end) {
    while (begin < end) {
      const int64_t row = begin / panels * size, panel = begin % panels;
      const int64_t count = std::min(panels - panel, end - begin);
      multiply_int8_block<Set>(product, row, std::min(size, product.rows - row), panel, count);
      begin += count;
    }
  });
}

template <class Set>
const Int8Kernels& int8_kernels() {
  static constexpr Int8Kernels kKernels{kPanelWidth<Set>, Set::kDepth, &multiply_int8<Set>};
  return kKernels;
}

}  // namespace
}  // namespace attend::kernels
