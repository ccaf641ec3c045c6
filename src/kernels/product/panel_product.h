#pragma once
/// Products of float matrices for one set of instructions: `PanelProducts<Set>::kernels()`. See
/// panel_tile.h for ATTEND_TARGET and `Set`, which here also has:
///   write(sum, c, count, into)   writes or adds the first `count` lanes, if any, to c
#include <xmmintrin.h>

#include <algorithm>
#include <type_traits>

#include "kernels/cpu/parallel.h"
#include "kernels/product/panel_blocks.h"
#include "kernels/product/panel_kernels.h"
#include "kernels/product/panel_layout.h"
#include "kernels/product/panel_tile.h"

// A product c = a b in four loops, from the outside in:
//   1. blocks of about kBlockRows rows of c, and panels of b, split among the threads: one thread
//      computes each element of c, so no sums cross threads;
//   2. blocks of kBlockUnits units along k: such a block of a panel and of the rows of a stays in
//      the second-level cache while it is reused;
//   3. tiles of kTileRows rows by a panel, whose sums stay in registers;
//   4. units along k: two loads of b serve all rows, and each number of a is broadcast to a
//      register, so the multiply-adds outnumber the loads and hide them.
// The layout of b lets loop 4 read it sequentially. Rows of a are read in place; if a is transposed
// or in bf16, its rows are first copied block by block.

namespace attend::kernels {
namespace {

/// A part of c.
struct FloatResult {
  float* c = nullptr;
  int64_t stride = 0;
  int64_t columns = 0;  // from here to the end
  Into into = Into::overwrite;

  [[nodiscard]] FloatResult at(int64_t row, int64_t column) const {
    return {c + row * stride + column, stride, columns - column, into};
  }
  ATTEND_TARGET_INLINE void expect(int64_t row, int64_t column) const {
    _mm_prefetch(reinterpret_cast<const char*>(c + row * stride + column), _MM_HINT_T0);
  }
  template <class Set>
  ATTEND_TARGET_INLINE void take(int64_t row, int64_t column, typename Set::Sum sum) const {
    Set::write(sum, c + row * stride + column, columns - column, into);
  }
};

template <class Set>
class PanelProducts {
 public:
  static const PanelKernels& kernels() {
    static constexpr PanelKernels kKernels{&size, &lay_out, &multiply};
    return kKernels;
  }

 private:
  using Unit = typename Set::LeftUnit;
  static_assert(std::is_same_v<Unit, typename Set::RightUnit>);

  static std::size_t size(int64_t k, int64_t n) {
    return static_cast<std::size_t>(panels_of<Set>(n) * panel_size(k)) * sizeof(Unit);
  }

  static int64_t panel_size(int64_t k) { return units_of<Set>(k) * kPanelWidth<Set>; }

  static void lay_out(Matrix<const float> b, bool transposed, std::byte* bytes) {
    const int64_t k = transposed ? b.columns : b.rows, n = transposed ? b.rows : b.columns;
    Unit* const to = reinterpret_cast<Unit*>(bytes);
    parallel_ranges(panels_of<Set>(n), 1, [&](int64_t begin, int64_t end) {
      for (int64_t panel = begin; panel < end; ++panel) {
        Unit* const there = to + panel * panel_size(k);
        const int64_t column = panel * kPanelWidth<Set>;
        transposed ? lay_out_rows<Set>(b, column, there)
                   : lay_out_columns<Set, kPanelWidth<Set>>(b, column, 0, k, there);
      }
    });
  }

  static void multiply(const PanelProduct& product) {
    const int64_t rows = product.c.rows;
    share_blocks(rows, panels_of<Set>(product.c.columns),
                 rows_of_block<Set::kBlockRows, Set::kTileRows>(rows),
                 [&](const PanelBlock& block) { multiply_block(product, block); });
  }

  static void multiply_block(const PanelProduct& product, const PanelBlock& block) {
    const int64_t all = units_of<Set>(product.k);
    for (int64_t unit = 0; unit < all; unit += Set::kBlockUnits) {
      const int64_t end = std::min(unit + Set::kBlockUnits, all);
      Tiles<Set> tiles =
          left_of(product, block, unit * Set::kDepth, std::min(end * Set::kDepth, product.k));
      tiles.b_step = panel_size(product.k);
      tiles.b = reinterpret_cast<const Unit*>(product.b) + block.panel * tiles.b_step +
                unit * kPanelWidth<Set>;
      tiles.rows = block.row_end - block.row;
      tiles.panels = block.panel_end - block.panel;
      tiles.units = end - unit;
      const FloatResult c{product.c.data, product.c.stride, product.c.columns,
                          unit == 0 ? product.into : Into::add};
      multiply_tiles(tiles, c.at(block.row, block.panel * kPanelWidth<Set>));
    }
  }

  /// The rows of a block for k in [k_begin, k_end), in place if possible, else copied.
  static Tiles<Set> left_of(const PanelProduct& product, const PanelBlock& block, int64_t k_begin,
                            int64_t k_end) {
    const Matrix<const float>& a = product.a;
    const int64_t units = units_of<Set>(k_end - k_begin);
    if (product.a_transposed) {
      Unit* const memory = left_memory();
      const int64_t step = units * Set::kLeftWidth;
      for (int64_t row = block.row; row < block.row_end; row += Set::kLeftWidth) {
        lay_out_columns<Set, Set::kLeftWidth>(a, row, k_begin, k_end,
                                              memory + (row - block.row) / Set::kLeftWidth * step);
      }
      return {memory, step, true};
    }
    if constexpr (std::is_same_v<Unit, float>) {
      return {a.data + block.row * a.stride + k_begin, a.stride, false};
    } else {
      Unit* const memory = left_memory();
      convert_rows<Set>(a, block.row, block.row_end, k_begin, k_end, memory);
      return {memory, units, false};
    }
  }

  static Unit* left_memory() {
    static_assert(Set::kBlockRows % Set::kLeftWidth == 0);
    static_assert(Set::kLeftWidth % Set::kTileRows == 0 && Set::kLeftWidth % Set::kLanes == 0);
    return memory_of_thread<Unit, Set::kBlockRows * Set::kBlockUnits>();
  }
};

}  // namespace
}  // namespace attend::kernels
