#include "kernels/product/panel_kernels.h"

#ifdef ATTEND_HAS_AMX
#define ATTEND_TARGET \
  __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512bf16,amx-tile,amx-bf16")))
#include "kernels/cpu/transpose.h"
#include "kernels/product/amx_tiles.h"
#include "kernels/product/avx512_lanes.h"
#include "kernels/product/panel_blocks.h"

// See amx_tiles.h; a unit is two bf16 numbers. Tiles are stored without gaps.

namespace attend::kernels {
namespace {

constexpr int64_t kTileDepth = 2 * kSide;  // numbers along k
using Tile = Bf16Pair[kSide][kSide];

/// Two strips of a block of matrix b take 64 KiB, and the rows of a block of matrix a take 256 KiB.
constexpr int64_t kBlockTiles = 32;

constexpr int64_t tiles_of(int64_t k) {
  return (k + kTileDepth - 1) / kTileDepth;
}

constexpr int64_t strips_of(int64_t count) {
  return (count + kSide - 1) / kSide;
}

/// Rounds two vectors to bf16, to the nearest with ties to even, and concatenates them. Subnormal
/// numbers become 0.
ATTEND_TARGET inline __m512i rounded(__m512 first, __m512 second) {
  return reinterpret_cast<__m512i>(_mm512_cvtne2ps_pbh(second, first));
}

/// Loads columns [k, k + 32) of rows [row, row + 16) of x. Each row of x becomes a row of the tile.
/// Elements beyond the ends of x are zero.
ATTEND_TARGET inline void load_rows(Matrix<const float> x, int64_t row, int64_t k, Tile& tile) {
  const __mmask16 first = Avx512Lanes::first_lanes(x.columns - k),
                  second = Avx512Lanes::first_lanes(x.columns - k - kSide);
  const int64_t rows = std::min(kSide, x.rows - row);
  const float* from = x.data + row * x.stride + k;
  for (int64_t i = 0; i < rows; ++i, from += x.stride) {
    _mm512_store_si512(tile[i], rounded(_mm512_maskz_loadu_ps(first, from),
                                        _mm512_maskz_loadu_ps(second, from + kSide)));
  }
  for (int64_t i = std::max(rows, int64_t{0}); i < kSide; ++i)
    _mm512_store_si512(tile[i], _mm512_setzero_si512());
}

/// Loads rows [k, k + 32) of columns [column, column + 16) of x, transposed: each column of x
/// becomes a row of the tile. Elements beyond the ends of x are zero.
ATTEND_TARGET inline void load_columns(Matrix<const float> x, int64_t column, int64_t k,
                                       Tile& tile) {
  const __mmask16 lanes = Avx512Lanes::first_lanes(x.columns - column);
  const __m512i pairs = _mm512_set_epi16(31, 15, 30, 14, 29, 13, 28, 12, 27, 11, 26, 10, 25, 9, 24,
                                         8, 23, 7, 22, 6, 21, 5, 20, 4, 19, 3, 18, 2, 17, 1, 16, 0);
  const float* from = x.data + k * x.stride + column;
  for (int64_t unit = 0; unit < kSide; ++unit, k += 2, from += 2 * x.stride) {
    const __mmask16 first = k < x.rows ? lanes : 0, second = k + 1 < x.rows ? lanes : 0;
    const __m512i both =
        rounded(_mm512_maskz_loadu_ps(first, from), _mm512_maskz_loadu_ps(second, from + x.stride));
    _mm512_store_si512(tile[unit], _mm512_permutexvar_epi16(pairs, both));
  }
}

/// Lays out a tile of x [., k] or, `lies_across`, [k, .], from row or column `place` and from `k`
/// on. In the tile, units run along a row or, `units_down`, down a column.
ATTEND_TARGET void lay_out_tile(Matrix<const float> x, bool lies_across, bool units_down,
                                int64_t place, int64_t k, Tile& to) {
  if (lies_across == units_down) {
    lies_across ? load_columns(x, place, k, to) : load_rows(x, place, k, to);
    return;
  }
  alignas(kRowBytes) Tile tile;
  lies_across ? load_columns(x, place, k, tile) : load_rows(x, place, k, tile);
  transpose(tile[0], kSide, kSide, kSide, to[0], kSide);
}

/// Two rows by two columns of tiles of c, which may extend beyond the ends of c.
struct Sums {
  float* c = nullptr;
  int64_t rows = 0, columns = 0;  // from here to the ends of c
  int64_t stride = 0;             // numbers
  bool adds = false;              // add to c
};

/// Multiplies kRowTiles tiles of a by two of b, `tiles` times along k. Tiles of one row of a are
/// adjacent in memory, as are the two of b.
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

/// multiply_tiles() at the ends of c, through a buffer of full size.
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
  multiply_tiles<kRowTiles>(
      a, a_step, b, tiles,
      {.c = whole, .rows = 0, .columns = 0, .stride = kPanelColumns, .adds = sums.adds});
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

/// Lays out all tiles of x for strips [strip, strip_end) of 16 rows or columns, in memory order;
/// `to` returns the memory of each tile.
template <class Place>
void lay_out_tiles(Matrix<const float> x, bool lies_across, bool units_down, int64_t strip,
                   int64_t strip_end, const Depth& depth, const Place& to) {
  const auto lay_out_one = [&](int64_t at, int64_t tile) {
    lay_out_tile(x, lies_across, units_down, at * kSide, tile * kTileDepth, *to(at, tile));
  };
  if (lies_across) {
    for (int64_t tile = depth.tile; tile < depth.tile_end; ++tile) {
      for (int64_t at = strip; at < strip_end; ++at) lay_out_one(at, tile);
    }
  } else {
    for (int64_t at = strip; at < strip_end; ++at) {
      for (int64_t tile = depth.tile; tile < depth.tile_end; ++tile) lay_out_one(at, tile);
    }
  }
}

/// Copies the rows of a block to memory of this thread: tiles along k, row by row.
const Tile* lay_out_left(const PanelProduct& product, const PanelBlock& block, const Depth& depth) {
  auto* const memory = memory_of_thread<Tile, kBlockRows / kSide * kBlockTiles>();
  const int64_t first = block.row / kSide;
  lay_out_tiles(product.a, product.a_transposed, /*units_down=*/false, first,
                strips_of(block.row_end), depth, [&](int64_t strip, int64_t tile) {
                  return memory + (strip - first) * depth.tiles() + tile - depth.tile;
                });
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
      const Sums sums{.c = product.c.data + row * product.c.stride + column,
                      .rows = product.c.rows - row,
                      .columns = product.c.columns - column,
                      .stride = product.c.stride,
                      .adds = adds};
      block.row_end - row > kSide ? multiply_rows<2>(a, depth.tiles(), b, depth.tiles(), sums)
                                  : multiply_rows<1>(a, depth.tiles(), b, depth.tiles(), sums);
      a += 2 * depth.tiles();
    }
  }
}

void multiply(const PanelProduct& product) {
  const int64_t rows = product.c.rows, tiles = tiles_of(product.k);
  share_blocks(rows, tile_panels_of(product.c.columns), rows_of_block<kBlockRows, kTileRows>(rows),
               [&](const PanelBlock& block) {
                 const TileRegisters registers;
                 for (int64_t tile = 0; tile < tiles; tile += kBlockTiles) {
                   multiply_block(product, block, {tile, std::min(tile + kBlockTiles, tiles)});
                 }
               });
}

std::size_t size(int64_t k, int64_t n) {
  return static_cast<std::size_t>(2 * tile_panels_of(n) * tiles_of(k)) * sizeof(Tile);
}

/// Writes panels of 32 columns: tiles along k, in adjacent pairs.
void lay_out(Matrix<const float> b, bool transposed, std::byte* bytes) {
  const int64_t k = transposed ? b.columns : b.rows, n = transposed ? b.rows : b.columns;
  const int64_t tiles = tiles_of(k);
  auto* const to = reinterpret_cast<Tile*>(bytes);
  parallel_shares(tile_panels_of(n), [&](int64_t begin, int64_t end) {
    lay_out_tiles(b, !transposed, /*units_down=*/true, 2 * begin, 2 * end, {0, tiles},
                  [&](int64_t strip, int64_t tile) {
                    return to + 2 * (strip / 2 * tiles + tile) + strip % 2;
                  });
  });
}

}  // namespace

const PanelKernels& panels_amx() {
  static constexpr PanelKernels kKernels{&size, &lay_out, &multiply};
  return kKernels;
}

}  // namespace attend::kernels
#endif
