#pragma once
/// Products of int8 matrices for one set of instructions: `multiply_int8<Set>()`. See panel_tile.h
/// for ATTEND_TARGET and `Set`, which here also has:
///   write_scaled(sum, scales, y, count, into)
#include "kernels/product/panel_blocks.h"
#include "kernels/product/panel_kernels.h"
#include "kernels/product/panel_tile.h"

namespace attend::kernels {
namespace {

/// Converts an int8 sum to float: row * column * (sum - offset).
struct Int8Scales {
  float row = 0.0F;
  const float* columns = nullptr;
  const int32_t* offsets = nullptr;
};

/// A part of y, with its scales and offsets.
struct ScaledResult {
  float* y = nullptr;
  int64_t stride = 0;
  int64_t columns = 0;                   // from here to the end
  const float* row_scales = nullptr;     // from this row on
  const float* column_scales = nullptr;  // from this column on
  const int32_t* offsets = nullptr;      // from this column on
  Into into = Into::overwrite;

  [[nodiscard]] ScaledResult at(int64_t row, int64_t column) const {
    return {.y = y + row * stride + column,
            .stride = stride,
            .columns = columns - column,
            .row_scales = row_scales + row,
            .column_scales = column_scales + column,
            .offsets = offsets + column,
            .into = into};
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

/// Multiplies some rows by some panels. Does not split k, since scaling needs complete sums.
template <class Set>
void multiply_int8_block(const Int8PanelProduct& product, const PanelBlock& block) {
  Tiles<Set> tiles;
  tiles.a = product.x + block.row * product.units;
  tiles.a_step = product.units;
  tiles.b_step = product.units * kPanelWidth<Set>;
  tiles.b =
      reinterpret_cast<const typename Set::RightUnit*>(product.weight) + block.panel * tiles.b_step;
  tiles.rows = block.row_end - block.row;
  tiles.panels = block.panel_end - block.panel;
  tiles.units = product.units;
  const Matrix<float>& y = product.y;
  const ScaledResult result{.y = y.data,
                            .stride = y.stride,
                            .columns = y.columns,
                            .row_scales = product.row_scales,
                            .column_scales = product.column_scales,
                            .offsets = product.offsets,
                            .into = product.into};
  multiply_tiles(tiles, result.at(block.row, block.panel * kPanelWidth<Set>));
}

/// Multiplies all rows by all panels, in blocks of about equal size.
template <class Set>
void multiply_int8(const Int8PanelProduct& product) {
  const int64_t blocks = (product.rows + Set::kBlockRows - 1) / Set::kBlockRows;
  share_blocks(product.rows, panels_of<Set>(product.y.columns),
               (product.rows + blocks - 1) / blocks,
               [&](const PanelBlock& block) { multiply_int8_block<Set>(product, block); });
}

template <class Set>
const Int8Kernels& int8_kernels() {
  static constexpr Int8Kernels kKernels{kPanelWidth<Set>, Set::kDepth, &multiply_int8<Set>};
  return kKernels;
}

}  // namespace
}  // namespace attend::kernels
