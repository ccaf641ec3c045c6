#include "kernels/panel_kernels.h"

#ifdef ATTEND_HAS_AMX
#include <immintrin.h>

#include <algorithm>
#include <atomic>

#include "kernels/compiler.h"
#include "kernels/panel_blocks.h"

#define ATTEND_TARGET \
  __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512bf16,amx-tile,amx-bf16")))

// Intel's matrix units (AMX; Intel 64 and IA-32 Architectures Optimization Reference Manual,
// chapter 20): eight registers, each a tile of 16 rows of 64 bytes. One instruction multiplies a
// tile of a [16 rows, 16 units] by one of b [16 units, 16 columns], a unit being two neighbours
// along k, and adds to a tile of sums. Four of these for two tiles of a and two of b keep the unit
// busy while the next four come from the cache, which is why tiles lie in memory without gaps.

namespace attend::kernels {
namespace {

/// Two numbers in bf16 of neighbouring k, the first in the lower half.
using Bf16Pair = uint32_t;

constexpr int64_t kSide = 16;              // rows or columns, and units, of a tile
constexpr int64_t kTileDepth = 2 * kSide;  // numbers along k
constexpr int64_t kPanelColumns = 2 * kSide;
constexpr int64_t kTileRows = 2 * kSide;  // rows whose sums are in registers
constexpr int64_t kRowBytes = 64;
using Tile = Bf16Pair[kSide][kSide];

/// Two strips of a block of b take 64 KiB, and the rows of a block of a 256 KiB.
constexpr int64_t kBlockRows = 128, kBlockTiles = 32;

constexpr int64_t tiles_of(int64_t k) {
  return (k + kTileDepth - 1) / kTileDepth;
}

/// The first `count` of 16 lanes, none or all included.
__mmask16 first_lanes(int64_t count) {
  return static_cast<__mmask16>((1U << std::clamp<int64_t>(count, 0, kSide)) - 1U);
}

/// Numbers rounded to bf16 to the nearest, ties to even; those too small for a normal float become
/// 0.
ATTEND_TARGET inline __m256i rounded(const float* x, int64_t count) {
  return reinterpret_cast<__m256i>(
      _mm512_cvtneps_pbh(_mm512_maskz_loadu_ps(first_lanes(count), x)));
}

/// Columns [k, k + 32) of rows [row, row + 16) of x, zero beyond its ends: a vector for each row.
ATTEND_TARGET inline void load_rows(Matrix<const float> x, int64_t row, int64_t k, __m512i* tile) {
  const int64_t count = x.columns - k;
  for (int64_t i = 0; i < kSide; ++i) {
    const float* const from = x.data + (row + i) * x.stride + k;
    const int64_t there = row + i < x.rows ? count : 0;
    const __m512i lower = _mm512_castsi256_si512(rounded(from, there));
    tile[i] = _mm512_inserti64x4(lower, rounded(from + kSide, there - kSide), 1);
  }
}

/// Rows [k, k + 32) of columns [column, column + 16) of x, zero beyond its ends: a vector for each
/// unit.
ATTEND_TARGET inline void load_columns(Matrix<const float> x, int64_t column, int64_t k,
                                       __m512i* tile) {
  const int64_t count = x.columns - column;
  for (int64_t unit = 0; unit < kSide; ++unit, k += 2) {
    const float* const from = x.data + k * x.stride + column;
    const __m256i first = rounded(from, k < x.rows ? count : 0);
    const __m256i second = rounded(from + x.stride, k + 1 < x.rows ? count : 0);
    const __m512i upper = _mm512_slli_epi32(_mm512_cvtepu16_epi32(second), 16);
    tile[unit] = _mm512_or_si512(_mm512_cvtepu16_epi32(first), upper);
  }
}

/// Exchanges rows and columns of 16 x 16 units: of each 2 x 2, of these each 2 x 2, and so on.
ATTEND_TARGET inline void turn(__m512i* x) {
  __m512i y[kSide];
  for (int64_t i = 0; i < kSide; i += 2) {
    y[i] = _mm512_unpacklo_epi32(x[i], x[i + 1]);
    y[i + 1] = _mm512_unpackhi_epi32(x[i], x[i + 1]);
  }
  for (int64_t i = 0; i < kSide; i += 4) {
    for (int64_t j = 0; j < 2; ++j) {
      x[i + 2 * j] = _mm512_unpacklo_epi64(y[i + j], y[i + j + 2]);
      x[i + 2 * j + 1] = _mm512_unpackhi_epi64(y[i + j], y[i + j + 2]);
    }
  }
  for (int64_t j = 0; j < 4; ++j) {  // x[4 i + j]: quarters j of rows 4 i to 4 i + 3
    const __m512i low = _mm512_shuffle_i32x4(x[j], x[j + 4], 0x88);
    const __m512i high = _mm512_shuffle_i32x4(x[j], x[j + 4], 0xdd);
    const __m512i low2 = _mm512_shuffle_i32x4(x[j + 8], x[j + 12], 0x88);
    const __m512i high2 = _mm512_shuffle_i32x4(x[j + 8], x[j + 12], 0xdd);
    y[j] = _mm512_shuffle_i32x4(low, low2, 0x88);
    y[j + 4] = _mm512_shuffle_i32x4(high, high2, 0x88);
    y[j + 8] = _mm512_shuffle_i32x4(low, low2, 0xdd);
    y[j + 12] = _mm512_shuffle_i32x4(high, high2, 0xdd);
  }
  std::copy_n(y, kSide, x);
}

/// A tile of x [., k], or [k, .] where it `lies_across`, from `place` and `k` on. In the tile,
/// units go along a row or, `units_down`, down a column.
ATTEND_TARGET void lay_out_tile(Matrix<const float> x, bool lies_across, bool units_down,
                                int64_t place, int64_t k, Tile& to) {
  __m512i tile[kSide];
  lies_across ? load_columns(x, place, k, tile) : load_rows(x, place, k, tile);
  if (lies_across != units_down) turn(tile);
  for (int64_t i = 0; i < kSide; ++i) _mm512_store_si512(to[i], tile[i]);
}

/// What LDTILECFG reads: all eight registers of full size.
struct alignas(64) TileConfig {
  uint8_t palette = 1, start_row = 0;
  uint8_t reserved[14] = {};
  uint16_t row_bytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
  uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
};
constexpr TileConfig kTileConfig;  // in memory: to the compiler, only its first bytes are read

/// This thread's tile registers, while it lives.
class TileRegisters {
 public:
  ATTEND_TARGET TileRegisters() { _tile_loadconfig(&kTileConfig); }
  ATTEND_TARGET ~TileRegisters() { _tile_release(); }
  TileRegisters(const TileRegisters&) = delete;
  TileRegisters& operator=(const TileRegisters&) = delete;
};

/// What was written before is in memory: to the compiler, tile instructions do not read any.
void finish_writing() {
  std::atomic_signal_fence(std::memory_order_seq_cst);
}

/// Two rows by two columns of tiles of c, which may go beyond its ends.
struct Sums {
  float* c = nullptr;
  int64_t rows = 0, columns = 0;  // from here to the ends of c
  int64_t stride = 0;             // numbers
  bool adds = false;              // to what is there
};

/// kRowTiles tiles of a by two of b, `tiles` times along k. Tiles of one row of a are neighbours,
/// as are the two of b.
template <int kRowTiles>
ATTEND_TARGET void multiply_tiles(const Tile* a, int64_t a_step, const Tile* b, int64_t tiles,
                                  const Sums& sums) {
  const int64_t stride = sums.stride * static_cast<int64_t>(sizeof(float));
  float* const c = sums.c;
  float* const below = c + kSide * sums.stride;
  if (sums.adds) {
    _tile_loadd(0, c, stride);
    _tile_loadd(1, c + kSide, stride);
    if constexpr (kRowTiles == 2) {
      _tile_loadd(2, below, stride);
      _tile_loadd(3, below + kSide, stride);
    }
  } else {
    _tile_zero(0);
    _tile_zero(1);
    _tile_zero(2);
    _tile_zero(3);
  }
  for (int64_t tile = 0; tile < tiles; ++tile) {
    _tile_loadd(6, b[2 * tile], kRowBytes);
    _tile_loadd(4, a[tile], kRowBytes);
    _tile_dpbf16ps(0, 4, 6);
    _tile_loadd(7, b[2 * tile + 1], kRowBytes);
    _tile_dpbf16ps(1, 4, 7);
    if constexpr (kRowTiles == 2) {
      _tile_loadd(5, a[a_step + tile], kRowBytes);
      _tile_dpbf16ps(2, 5, 6);
      _tile_dpbf16ps(3, 5, 7);
    }
  }
  _tile_stored(0, c, stride);
  _tile_stored(1, c + kSide, stride);
  if constexpr (kRowTiles == 2) {
    _tile_stored(2, below, stride);
    _tile_stored(3, below + kSide, stride);
  }
}

/// The same at the ends of c, by way of memory of full size.
template <int kRowTiles>
ATTEND_TARGET void multiply_tiles_at_end(const Tile* a, int64_t a_step, const Tile* b,
                                         int64_t tiles, const Sums& sums) {
  alignas(64) float whole[kRowTiles * kSide * kPanelColumns];
  const int64_t rows = std::min(sums.rows, kRowTiles * kSide);
  const int64_t columns = std::min(sums.columns, kPanelColumns);
  for (int64_t row = 0; sums.adds && row < rows; ++row) {
    std::copy_n(sums.c + row * sums.stride, columns, whole + row * kPanelColumns);
  }
  finish_writing();
  multiply_tiles<kRowTiles>(a, a_step, b, tiles, {whole, 0, 0, kPanelColumns, sums.adds});
  for (int64_t row = 0; row < rows; ++row) {
    std::copy_n(whole + row * kPanelColumns, columns, sums.c + row * sums.stride);
  }
}

template <int kRowTiles>
void multiply_rows(const Tile* a, int64_t a_step, const Tile* b, int64_t tiles, const Sums& sums) {
  const bool is_whole = sums.rows >= kRowTiles * kSide && sums.columns >= kPanelColumns;
  is_whole ? multiply_tiles<kRowTiles>(a, a_step, b, tiles, sums)
           : multiply_tiles_at_end<kRowTiles>(a, a_step, b, tiles, sums);
}

/// Tiles [tile, tile_end) along k.
struct Depth {
  int64_t tile = 0, tile_end = 0;

  [[nodiscard]] int64_t tiles() const { return tile_end - tile; }
};

/// The rows of a block, in memory of this thread: tiles along k, row by row.
const Tile* lay_out_left(const PanelProduct& product, const PanelBlock& block, const Depth& depth) {
  auto* const memory = memory_of_thread<Tile, kBlockRows / kSide * kBlockTiles>();
  auto* to = memory;
  for (int64_t row = block.row; row < block.row_end; row += kSide) {
    for (int64_t tile = depth.tile; tile < depth.tile_end; ++tile, ++to) {
      lay_out_tile(product.a, product.a_transposed, false, row, tile * kTileDepth, *to);
    }
  }
  finish_writing();
  return memory;
}

ATTEND_TARGET void multiply_block(const PanelProduct& product, const PanelBlock& block,
                                  const Depth& depth) {
  const Tile* const left = lay_out_left(product, block, depth);
  const bool adds = depth.tile > 0 || product.into == Into::add;
  for (int64_t panel = block.panel; panel < block.panel_end; ++panel) {
    const Tile* const b =
        reinterpret_cast<const Tile*>(product.b) + 2 * (panel * tiles_of(product.k) + depth.tile);
    const int64_t column = panel * kPanelColumns;
    const Tile* a = left;
    for (int64_t row = block.row; row < block.row_end; row += kTileRows) {
      const Sums sums{product.c.data + row * product.c.stride + column, product.c.rows - row,
                      product.c.columns - column, product.c.stride, adds};
      block.row_end - row > kSide ? multiply_rows<2>(a, depth.tiles(), b, depth.tiles(), sums)
                                  : multiply_rows<1>(a, depth.tiles(), b, depth.tiles(), sums);
      a += 2 * depth.tiles();
    }
  }
}

void multiply(const PanelProduct& product) {
  const int64_t rows = product.c.rows, tiles = tiles_of(product.k);
  const int64_t panels = (product.c.columns + kPanelColumns - 1) / kPanelColumns;
  share_blocks(rows, panels, rows_of_block<kBlockRows, kTileRows>(rows),
               [&](const PanelBlock& block) {
                 const TileRegisters registers;
                 for (int64_t tile = 0; tile < tiles; tile += kBlockTiles) {
                   multiply_block(product, block, {tile, std::min(tile + kBlockTiles, tiles)});
                 }
               });
}

std::size_t size(int64_t k, int64_t n) {
  const int64_t panels = (n + kPanelColumns - 1) / kPanelColumns;
  return static_cast<std::size_t>(panels * 2 * tiles_of(k)) * sizeof(Tile);
}

/// Panels of 32 columns: tiles along k, of each the two side by side.
void lay_out(Matrix<const float> b, bool transposed, std::byte* bytes) {
  const int64_t k = transposed ? b.columns : b.rows, n = transposed ? b.rows : b.columns;
  const int64_t tiles = tiles_of(k);
  auto* const to = reinterpret_cast<Tile*>(bytes);
  parallel_ranges((n + kPanelColumns - 1) / kPanelColumns, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = 2 * begin * tiles; i < 2 * end * tiles; ++i) {
      const int64_t tile = i / 2 % tiles, strip = i / (2 * tiles) * 2 + i % 2;
      lay_out_tile(b, !transposed, true, strip * kSide, tile * kTileDepth, to[i]);
    }
  });
}

}  // namespace

const PanelKernels& panels_amx() {
  static constexpr PanelKernels kKernels{&size, &lay_out, &multiply};
  return kKernels;
}

}  // namespace attend::kernels
#endif
