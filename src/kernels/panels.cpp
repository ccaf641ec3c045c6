#include "kernels/panels.h"

#include <algorithm>
#include <stdexcept>

#include "kernels/compiler.h"
#include "kernels/instructions.h"
#include "kernels/panel_layout.h"
#include "kernels/parallel.h"

// A product c = a b in four loops, from the outside in:
//   1. blocks of about 128 rows of c, and panels of 32 columns of b, shared out among the threads:
//      each element of c is one thread's, so that nothing is added up between threads;
//   2. blocks of 1024 units along k: such a block of a panel (128 KiB) and of the rows of a
//      (512 KiB) stay in the second-level cache while they are used again and again;
//   3. tiles of 8 rows by 32 columns, whose 16 sums stay in registers;
//   4. units along k: two loads of b serve 8 rows, and each number of a is spread over a register,
//      so that 16 multiply-adds come on 10 loads, and the loads hide behind them.
// b was laid out so that loop 4 reads it from front to back (panel_layout.h). Rows of a are read
// where they lie; transposed or in bf16 they are first copied, block by block. What an element's
// sum is added up from, and in which order, depends on k alone: it does not change with threads.

namespace attend::kernels {

#ifdef ATTEND_AVX512

namespace {

constexpr int64_t kTileRows = 8;       // rows of c computed together, in 2 x 8 registers
constexpr int64_t kBlockRows = 128;    // rows of a, and
constexpr int64_t kBlockUnits = 1024;  // units of each, that stay in the second-level cache

template <class Unit>
void lay_out(Matrix<const float> b, bool transposed, Unit* to) {
  const int64_t k = transposed ? b.columns : b.rows, n = transposed ? b.rows : b.columns;
  const int64_t size = units_of<Unit>(k) * kPanelWidth;
  parallel_ranges(panels_of(n), 1, [&](int64_t begin, int64_t end) {
    for (int64_t panel = begin; panel < end; ++panel) {
      transposed ? lay_out_rows(b, panel * kPanelWidth, to + panel * size)
                 : lay_out_columns(b, panel * kPanelWidth, 0, k, to + panel * size);
    }
  });
}

ATTEND_AVX512_INLINE __m512 load(const float* x) {
  return _mm512_load_ps(x);
}
ATTEND_AVX512_INLINE __m512i load(const Pair* x) {
  return _mm512_load_si512(x);
}
ATTEND_AVX512_INLINE __m512 spread(float x) {
  return _mm512_set1_ps(x);
}
ATTEND_AVX512_INLINE __m512i spread(Pair x) {
  return _mm512_set1_epi32(static_cast<int>(x));
}
ATTEND_AVX512_INLINE __m512 add_product(__m512 sum, __m512 a, __m512 b) {
  return _mm512_fmadd_ps(a, b, sum);
}
ATTEND_AVX512_INLINE __m512 add_product(__m512 sum, __m512i a, __m512i b) {
  return _mm512_dpbf16_ps(sum, reinterpret_cast<__m512bh>(a), reinterpret_cast<__m512bh>(b));
}

/// Some rows of a, for some units: row after row, or as panels of 32 rows as those of b.
template <class Unit>
struct Left {
  const Unit* units = nullptr;
  int64_t stride = 0;  // from row to row, or from panel to panel
  bool in_panels = false;
};

/// A tile of c: at most 8 rows, and the columns of a panel or the first of them.
template <class Unit>
struct Tile {
  Left<Unit> a;  // from the tile's first row on
  const Unit* b = nullptr;
  int64_t units = 0;
  float* c = nullptr;
  int64_t stride = 0;
  int64_t columns = 0;
  Into into = Into::overwrite;
};

ATTEND_AVX512_INLINE void write(__m512 sum, float* c, __mmask16 lanes, Into into) {
  if (into == Into::add) sum = _mm512_add_ps(sum, _mm512_maskz_loadu_ps(lanes, c));
  _mm512_mask_storeu_ps(c, lanes, sum);
}

template <int kRows, bool kInPanels, class Unit>
ATTEND_AVX512 void multiply_tile(const Tile<Unit>& tile) {
  __m512 sums[kRows][2];
  ATTEND_UNROLLED(8)
  for (int i = 0; i < kRows; ++i) {
    sums[i][0] = sums[i][1] = _mm512_setzero_ps();
    _mm_prefetch(tile.c + i * tile.stride, _MM_HINT_T0);
    _mm_prefetch(tile.c + i * tile.stride + kPanelWidth / 2, _MM_HINT_T0);
  }
  const Unit* const a = tile.a.units;
  const int64_t stride = tile.a.stride;
  const Unit* b = tile.b;
  for (int64_t unit = 0; unit < tile.units; ++unit, b += kPanelWidth) {
    const auto left = load(b), right = load(b + kPanelWidth / 2);
    ATTEND_UNROLLED(8)
    for (int i = 0; i < kRows; ++i) {
      const auto x = spread(kInPanels ? a[unit * kPanelWidth + i] : a[i * stride + unit]);
      sums[i][0] = add_product(sums[i][0], x, left);
      sums[i][1] = add_product(sums[i][1], x, right);
    }
  }
  const __mmask16 left = first_lanes(tile.columns),
                  right = first_lanes(tile.columns - kPanelWidth / 2);
  ATTEND_UNROLLED(8)
  for (int i = 0; i < kRows; ++i) {
    write(sums[i][0], tile.c + i * tile.stride, left, tile.into);
    write(sums[i][1], tile.c + i * tile.stride + kPanelWidth / 2, right, tile.into);
  }
}

template <bool kInPanels, class Unit>
void multiply_tile(int64_t rows, const Tile<Unit>& tile) {
  switch (rows) {
    case 1:
      return multiply_tile<1, kInPanels>(tile);
    case 2:
      return multiply_tile<2, kInPanels>(tile);
    case 3:
      return multiply_tile<3, kInPanels>(tile);
    case 4:
      return multiply_tile<4, kInPanels>(tile);
    case 5:
      return multiply_tile<5, kInPanels>(tile);
    case 6:
      return multiply_tile<6, kInPanels>(tile);
    case 7:
      return multiply_tile<7, kInPanels>(tile);
    default:
      return multiply_tile<8, kInPanels>(tile);
  }
}

/// A whole product, as each thread computes a part of it.
template <class Unit>
struct Product {
  Matrix<const float> a;
  bool a_transposed = false;
  const Unit* b = nullptr;  // panels
  int64_t k = 0;
  Matrix<float> c;
  Into into = Into::overwrite;
};

/// Memory of this thread for some rows of a.
template <class Unit>
Unit* left_memory() {
  constexpr std::size_t kSize = kBlockRows * kBlockUnits * sizeof(Unit);
  thread_local const std::unique_ptr<void, void (*)(void*)> memory(heap().allocate(kSize),
                                                                   heap().release);
  return static_cast<Unit*>(memory.get());
}

/// Rows [begin, end) of a for k in [k_begin, k_end). Where they can be read as they lie, they are.
template <class Unit>
Left<Unit> lay_out_left(const Product<Unit>& product, int64_t begin, int64_t end, int64_t k_begin,
                        int64_t k_end) {
  const Matrix<const float>& a = product.a;
  const int64_t units = units_of<Unit>(k_end - k_begin);
  if (product.a_transposed) {
    Unit* const memory = left_memory<Unit>();
    const int64_t size = units * kPanelWidth;
    for (int64_t row = begin; row < end; row += kPanelWidth) {
      lay_out_columns(a, row, k_begin, k_end, memory + (row - begin) / kPanelWidth * size);
    }
    return {memory, size, true};
  }
  if constexpr (kDepth<Unit> == 1) {
    return {a.data + begin * a.stride + k_begin, a.stride, false};
  } else {
    Unit* const memory = left_memory<Unit>();
    round_rows(a, begin, end, k_begin, k_end, memory);
    return {memory, units, false};
  }
}

/// Some rows and panels of c, for some units.
template <class Unit>
struct Block {
  Left<Unit> a;
  int64_t row = 0, row_end = 0;      // of c
  int64_t panel = 0, panel_end = 0;  // of b
  int64_t unit = 0, unit_end = 0;
};

template <class Unit>
void multiply_block(const Product<Unit>& product, const Block<Unit>& block) {
  const int64_t panel_size = units_of<Unit>(product.k) * kPanelWidth;
  for (int64_t panel = block.panel; panel < block.panel_end; ++panel) {
    Tile<Unit> tile;
    tile.b = product.b + panel * panel_size + block.unit * kPanelWidth;
    tile.units = block.unit_end - block.unit;
    tile.stride = product.c.stride;
    tile.columns = product.c.columns - panel * kPanelWidth;
    tile.into = block.unit == 0 ? product.into : Into::add;
    for (int64_t row = 0; row < block.row_end - block.row; row += kTileRows) {
      const int64_t rows = std::min(kTileRows, block.row_end - block.row - row);
      tile.c = product.c.data + (block.row + row) * product.c.stride + panel * kPanelWidth;
      tile.a = block.a;
      if (block.a.in_panels) {
        tile.a.units += row / kPanelWidth * block.a.stride + row % kPanelWidth;
        multiply_tile<true>(rows, tile);
      } else {
        tile.a.units += row * block.a.stride;
        multiply_tile<false>(rows, tile);
      }
    }
  }
}

/// Some panels of the rows [row, row_end).
template <class Unit>
void multiply_rows(const Product<Unit>& product, Block<Unit> block) {
  const int64_t units = units_of<Unit>(product.k);
  for (; block.unit < units; block.unit = block.unit_end) {
    block.unit_end = std::min(block.unit + kBlockUnits, units);
    block.a = lay_out_left(product, block.row, block.row_end, block.unit * kDepth<Unit>,
                           std::min(block.unit_end * kDepth<Unit>, product.k));
    multiply_block(product, block);
  }
}

/// Rows of a block where c has so many: blocks are of about one size, so that threads have equal
/// shares.
int64_t rows_of_block(int64_t rows) {
  const int64_t blocks = (rows + kBlockRows - 1) / kBlockRows;
  return ((rows + blocks - 1) / blocks + kTileRows - 1) / kTileRows * kTileRows;
}

/// All of it, each thread its share of the panels of all blocks of rows.
template <class Unit>
void multiply_all(const Product<Unit>& product) {
  const int64_t panels = panels_of(product.c.columns), size = rows_of_block(product.c.rows);
  const int64_t blocks = (product.c.rows + size - 1) / size;
  parallel_shares(blocks * panels, [&](int64_t begin, int64_t end) {
    while (begin < end) {
      Block<Unit> block;
      block.row = begin / panels * size;
      block.row_end = std::min(block.row + size, product.c.rows);
      block.panel = begin % panels;
      block.panel_end = std::min(panels, block.panel + end - begin);
      multiply_rows(product, block);
      begin += block.panel_end - block.panel;
    }
  });
}

void clear(Matrix<float> c) {
  for (int64_t row = 0; row < c.rows; ++row) std::fill_n(c.data + row * c.stride, c.columns, 0.0F);
}

}  // namespace

bool has_panels(Precision precision) {
  return instructions_in_use() >=
         (precision == Precision::bf16 ? Instructions::avx512_bf16 : Instructions::avx512);
}

Panels::Panels(Matrix<const float> b, bool transposed, Precision precision)
    : rows_(transposed ? b.columns : b.rows),
      columns_(transposed ? b.rows : b.columns),
      precision_(precision) {
  if (!has_panels(precision)) throw std::logic_error("Panels: not on this CPU");
  const int64_t units = precision == Precision::bf16 ? units_of<Pair>(rows_) : rows_;
  units_ = numbers<std::byte>(panels_of(columns_) * units * kPanelWidth *
                              static_cast<int64_t>(sizeof(Pair)));
  if (precision == Precision::bf16) {
    lay_out(b, transposed, reinterpret_cast<Pair*>(units_.get()));
  } else {
    lay_out(b, transposed, reinterpret_cast<float*>(units_.get()));
  }
}

void Panels::multiply(Matrix<const float> a, bool a_transposed, Matrix<float> c, Into into) const {
  if ((a_transposed ? a.rows : a.columns) != rows_ || c.columns != columns_ ||
      (a_transposed ? a.columns : a.rows) != c.rows) {
    throw std::logic_error("Panels: the sizes of a product do not fit");
  }
  if (c.rows == 0 || c.columns == 0) return;
  if (rows_ == 0 && into == Into::overwrite) return clear(c);
  if (precision_ == Precision::bf16) {
    multiply_all<Pair>(
        {a, a_transposed, reinterpret_cast<const Pair*>(units_.get()), rows_, c, into});
  } else {
    multiply_all<float>(
        {a, a_transposed, reinterpret_cast<const float*>(units_.get()), rows_, c, into});
  }
}

#else

bool has_panels(Precision) {
  return false;
}

Panels::Panels(Matrix<const float> b, bool, Precision precision)
    : rows_(b.rows), columns_(b.columns), precision_(precision) {
  throw std::logic_error("Panels: not on this CPU");
}

void Panels::multiply(Matrix<const float>, bool, Matrix<float>, Into) const {}

#endif

}  // namespace attend::kernels
