#pragma once
/// Intel's matrix registers (AMX; Intel 64 and IA-32 Architectures Optimization Reference Manual,
/// chapter 20): eight, each a tile of 16 rows of 64 bytes. One instruction multiplies a tile of a
/// [16 rows, 16 units] by one of b [16 units, 16 columns], a unit being the numbers along k that
/// take four bytes, and adds to a tile of sums. Four of these for two tiles of a and two of b keep
/// the multipliers busy while the next four come from the cache. See panel_tile.h for
/// ATTEND_TARGET, which names amx-tile here.
#include <immintrin.h>

#include <atomic>
#include <cstdint>

namespace attend::kernels {
namespace {

constexpr int64_t kSide = 16;      // rows or columns, and units, of a tile
constexpr int64_t kRowBytes = 64;  // of a row of a tile
constexpr int64_t kPanelColumns = 2 * kSide;
constexpr int64_t kTileRows = 2 * kSide;  // rows whose sums are in registers
constexpr int64_t kBlockRows = 128;       // of a, used again and again

/// Panels of kPanelColumns.
constexpr int64_t tile_panels_of(int64_t columns) {
  return (columns + kPanelColumns - 1) / kPanelColumns;
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
inline void finish_writing() {
  std::atomic_signal_fence(std::memory_order_seq_cst);
}

}  // namespace
}  // namespace attend::kernels
