#include "kernels/product/panel_kernels.h"

#ifdef ATTEND_HAS_AMX
#define ATTEND_TARGET \
  __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,amx-tile,amx-int8")))
#include "kernels/product/amx_tiles.h"
#include "kernels/product/avx512_int8.h"
#include "kernels/product/panel_blocks.h"

namespace attend::kernels {
namespace {

constexpr int64_t kUnitBytes = kPanelColumns * sizeof(Int8Group);  // bytes of a unit of a panel

/// Multiplies kRowTiles tiles of x by a panel. x has whole tiles of rows, the result has `rows`
/// rows. Sums may overflow 32 bits; subtracting the offset undoes the overflow.
template <int kRowTiles>
ATTEND_TARGET void multiply_tiles(const Int8Group* x, int64_t units, const std::byte* panel,
                                  int64_t rows, const ScaledResult& result) {
  alignas(64) int32_t sums[kRowTiles * kSide][kPanelColumns];
  const int64_t x_step = units * static_cast<int64_t>(sizeof(Int8Group));
  _tile_zero(0);
  _tile_zero(1);
  _tile_zero(2);
  _tile_zero(3);
  for (int64_t unit = 0; unit < units; unit += kSide, panel += kSide * kUnitBytes) {
    _tile_loadd(6, panel, kUnitBytes);
    _tile_loadd(4, x + unit, x_step);
    _tile_dpbusd(0, 4, 6);
    _tile_loadd(7, panel + kRowBytes, kUnitBytes);
    _tile_dpbusd(1, 4, 7);
    if constexpr (kRowTiles == 2) {
      _tile_loadd(5, x + kSide * units + unit, x_step);
      _tile_dpbusd(2, 5, 6);
      _tile_dpbusd(3, 5, 7);
    }
  }
  _tile_stored(0, sums[0], kUnitBytes);
  _tile_stored(1, sums[0] + kSide, kUnitBytes);
  if constexpr (kRowTiles == 2) {
    _tile_stored(2, sums[kSide], kUnitBytes);
    _tile_stored(3, sums[kSide] + kSide, kUnitBytes);
  }
  for (int64_t row = 0; row < std::min(rows, kRowTiles * kSide); ++row) {
    for (int64_t column = 0; column < kPanelColumns; column += kSide) {
      Avx512Int8Sums::Sum sum;
      std::memcpy(&sum, sums[row] + column, sizeof(sum));
      result.take<Avx512Int8Sums>(row, column, sum);
    }
  }
}

ATTEND_TARGET void multiply_block(const Int8PanelProduct& product, const PanelBlock& block) {
  const TileRegisters registers;
  finish_writing();
  const Matrix<float>& y = product.y;
  const ScaledResult whole{.y = y.data,
                           .stride = y.stride,
                           .columns = y.columns,
                           .row_scales = product.row_scales,
                           .column_scales = product.column_scales,
                           .offsets = product.offsets,
                           .into = product.into};
  for (int64_t panel = block.panel; panel < block.panel_end; ++panel) {
    const std::byte* const b = product.weight + panel * product.units * kUnitBytes;
    for (int64_t row = block.row; row < block.row_end; row += kTileRows) {
      const Int8Group* const x = product.x + row * product.units;
      const int64_t rows = block.row_end - row;
      const ScaledResult result = whole.at(row, panel * kPanelColumns);
      rows > kSide ? multiply_tiles<2>(x, product.units, b, rows, result)
                   : multiply_tiles<1>(x, product.units, b, rows, result);
    }
  }
}

void multiply(const Int8PanelProduct& product) {
  share_blocks(product.rows, tile_panels_of(product.y.columns),
               rows_of_block<kBlockRows, kTileRows>(product.rows),
               [&](const PanelBlock& block) { multiply_block(product, block); });
}

}  // namespace

const Int8Kernels& int8_amx() {
  static constexpr Int8Kernels kKernels{.width = kPanelColumns,
                                        .depth = sizeof(Int8Group),
                                        .multiply = &multiply,
                                        .whole_rows = kSide,
                                        .whole_units = kSide};
  return kKernels;
}

}  // namespace attend::kernels
#endif
