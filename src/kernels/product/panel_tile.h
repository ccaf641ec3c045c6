#pragma once
/// The inner loops of products. Each source that includes this header first defines ATTEND_TARGET,
/// an attribute with its instructions, and compiles the loops for them. Everything is in an
/// anonymous namespace, so the linker cannot replace it by code for another processor.
///
/// A `Set` defines how these instructions multiply and add:
///   kDepth                numbers along k in a unit, which a lane multiplies at once
///   LeftUnit, RightUnit   types of a unit of a and of b in memory
///   kLanes                columns of a vector register; a panel of b has twice as many
///   kTileRows             rows of a whose sums with a panel stay in registers
///   kLeftWidth            rows in a panel of a: a multiple of kLanes and kTileRows
///   kBlockRows            rows of a block of a: a multiple of kLeftWidth
///   kBlockUnits           units per row of a block, which stays in the second-level cache
///   zero()                a Sum of 0 in all lanes
///   load(b)               loads the units of kLanes columns
///   spread(a)             broadcasts one unit to all lanes
///   add_product(sum, a, b)
#include <xmmintrin.h>

#include <algorithm>
#include <cstdint>

#include "kernels/cpu/compiler.h"

#ifndef ATTEND_TARGET
#error "define ATTEND_TARGET before panel_tile.h"
#endif
#define ATTEND_TARGET_INLINE ATTEND_TARGET __attribute__((always_inline)) inline

namespace attend::kernels {
namespace {

template <class Set>
constexpr int64_t kPanelWidth = 2 * Set::kLanes;

template <class Set>
constexpr int64_t units_of(int64_t k) {
  return (k + Set::kDepth - 1) / Set::kDepth;
}
template <class Set>
constexpr int64_t panels_of(int64_t columns) {
  return (columns + kPanelWidth<Set> - 1) / kPanelWidth<Set>;
}

/// Operands of a product: rows of matrix a and panels of matrix b, for some units along k.
template <class Set>
struct Tiles {
  const typename Set::LeftUnit* a = nullptr;
  int64_t a_step = 0;  // from row to row; with a_in_panels, between panels of kLeftWidth rows
  bool a_in_panels = false;
  const typename Set::RightUnit* b = nullptr;
  int64_t b_step = 0;  // from panel to panel
  int64_t rows = 0;
  int64_t panels = 0;
  int64_t units = 0;
  int64_t ahead = 0;  // prefetch distance in b, in units: 0, or some panels
};

/// Prefetches into the second-level cache.
ATTEND_TARGET_INLINE void prefetch(const void* memory) {
  _mm_prefetch(static_cast<const char*>(memory), _MM_HINT_T1);
}

/// Units of b in a cache line.
template <class Set>
constexpr int64_t kLineUnits = 64 / static_cast<int64_t>(sizeof(typename Set::RightUnit));

/// Multiplies one tile, kRows rows by kPanels panels, with all sums in registers. kAhead turns on
/// prefetching, as tile.ahead > 0 requires. Prefetching a tile that
/// is cached already makes it a tenth slower.
template <class Set, int kRows, int kPanels, bool kInPanels, bool kAhead, class Result>
ATTEND_TARGET void multiply_tile(const Tiles<Set>& tile, const Result& result) {
  constexpr int kVectors = 2 * kPanels;
  typename Set::Sum sums[kRows][kVectors];
  ATTEND_UNROLLED(8)
  for (int i = 0; i < kRows; ++i) {
    ATTEND_UNROLLED(8)
    for (int v = 0; v < kVectors; ++v) {
      sums[i][v] = Set::zero();
      result.expect(i, v * Set::kLanes);
    }
  }
  const auto* const a = tile.a;
  const auto* b = tile.b;
  const int64_t a_step = tile.a_step, b_step = tile.b_step, ahead = tile.ahead;
  for (int64_t unit = 0; unit < tile.units; ++unit, b += kPanelWidth<Set>) {
    typename Set::Right right[kVectors];
    ATTEND_UNROLLED(8)
    for (int v = 0; v < kVectors; ++v) {
      const auto* const there = b + v / 2 * b_step + v % 2 * Set::kLanes;
      right[v] = Set::load(there);
      if (kAhead && v % 2 * Set::kLanes % kLineUnits<Set> == 0) prefetch(there + ahead);
    }
    ATTEND_UNROLLED(8)
    for (int i = 0; i < kRows; ++i) {
      const auto left =
          Set::spread(kInPanels ? a + unit * Set::kLeftWidth + i : a + i * a_step + unit);
      ATTEND_UNROLLED(8)
      for (int v = 0; v < kVectors; ++v) {
        sums[i][v] = Set::add_product(sums[i][v], left, right[v]);
      }
    }
  }
  ATTEND_UNROLLED(8)
  for (int i = 0; i < kRows; ++i) {
    ATTEND_UNROLLED(8)
    for (int v = 0; v < kVectors; ++v) result.template take<Set>(i, v * Set::kLanes, sums[i][v]);
  }
}

template <class Set, bool kInPanels, int kRows = 1, class Result>
ATTEND_TARGET_INLINE void multiply_rows_of_tile(int64_t rows, const Tiles<Set>& tile,
                                                const Result& result) {
  if constexpr (kRows < Set::kTileRows) {
    if (rows > kRows) return multiply_rows_of_tile<Set, kInPanels, kRows + 1>(rows, tile, result);
  }
  if constexpr (Set::kLanes == 16) {  // with AVX2 this would be slower, at 0.65 of the speed
    if (tile.ahead == 0) return multiply_tile<Set, kRows, 1, kInPanels, false>(tile, result);
  }
  multiply_tile<Set, kRows, 1, kInPanels, true>(tile, result);
}

/// Multiplies one panel by all rows, in tiles of about equal size: a tile of one row would stall on
/// its two sums.
template <class Set, class Result>
ATTEND_TARGET void multiply_panel(const Tiles<Set>& tiles, const Result& result) {
  const int64_t count = (tiles.rows + Set::kTileRows - 1) / Set::kTileRows;
  const int64_t even = (tiles.rows + count - 1) / count;
  const int64_t size = tiles.a_in_panels ? Set::kTileRows : even;
  Tiles<Set> tile = tiles;
  for (int64_t row = 0; row < tiles.rows; row += size) {
    const int64_t rows = std::min(size, tiles.rows - row);
    const Result there = result.at(row, 0);
    tile.ahead = row + rows == tiles.rows ? tiles.b_step : 0;
    if (tiles.a_in_panels) {
      tile.a = tiles.a + row / Set::kLeftWidth * tiles.a_step + row % Set::kLeftWidth;
      multiply_rows_of_tile<Set, true>(rows, tile, there);
    } else {
      tile.a = tiles.a + row * tiles.a_step;
      multiply_rows_of_tile<Set, false>(rows, tile, there);
    }
  }
}

/// Prefetch distance within a panel, across the end of a page, where hardware prefetching stops.
template <class Set>
constexpr int64_t kNear = 32 * kPanelWidth<Set>;

/// Multiplies kPanels panels at a time while enough are left. Returns the number of panels done.
template <class Set, int kRows, int kPanels, class Result>
ATTEND_TARGET int64_t multiply_panels(Tiles<Set> tile, const Result& result) {
  int64_t panel = 0;
  tile.ahead = kNear<Set>;  // the next panels are too far away in memory
  for (; panel + kPanels <= tile.panels; panel += kPanels, tile.b += kPanels * tile.b_step) {
    multiply_tile<Set, kRows, kPanels, false, true>(tile, result.at(0, panel * kPanelWidth<Set>));
  }
  return panel;
}

/// Multiplies all rows by all panels. A `Result` receives the sums: take<Set>(row, column, sum)
/// gets the sums of kLanes columns, and expect(row, column) announces that call; at(row, column) is
/// the Result from that element on. The terms of a sum and their order depend only on k, not on
/// rows or columns.
template <class Set, class Result>
ATTEND_TARGET void multiply_tiles(Tiles<Set> tiles, const Result& result) {
  int64_t panel = 0;
  // The sums of one or two rows and one panel are too few to keep the multipliers busy.
  if (!tiles.a_in_panels && tiles.rows == 1) panel = multiply_panels<Set, 1, 4>(tiles, result);
  if (!tiles.a_in_panels && tiles.rows == 2) panel = multiply_panels<Set, 2, 2>(tiles, result);
  tiles.b += panel * tiles.b_step;
  for (; panel < tiles.panels; ++panel, tiles.b += tiles.b_step) {
    multiply_panel(tiles, result.at(0, panel * kPanelWidth<Set>));
  }
}

}  // namespace
}  // namespace attend::kernels
