#pragma once
/// Intel's matrix registers (AMX; Intel 64 and IA-32 Architectures Optimization Reference Manual,
/// chapter 20): eight tiles of 16 rows of 64 bytes. One instruction multiplies a tile of a
/// [16 rows, 16 units] by a tile of b [16 units, 16 columns] and adds the product to a tile of
/// sums. A unit is four bytes of numbers that are adjacent along k. Four tiles of sums, from two
/// tiles of a and two of b, keep the multipliers busy while the next tiles are loaded. See
/// panel_tile.h for ATTEND_TARGET, which names amx-tile here.
#include <immintrin.h>

#include <atomic>
#include <cstdint>

namespace attend::kernels {
namespace {

constexpr int64_t kSide = 16;      // rows or columns, and units, of a tile
constexpr int64_t kRowBytes = 64;  // bytes of a row of a tile
constexpr int64_t kPanelColumns = 2 * kSide;
constexpr int64_t kTileRows = 2 * kSide;  // rows whose sums stay in registers
constexpr int64_t kBlockRows = 128;       // rows of a that are reused

/// Number of panels of kPanelColumns columns that hold `columns` columns.
constexpr int64_t tile_panels_of(int64_t columns) {
  return (columns + kPanelColumns - 1) / kPanelColumns;
}

/// Operand of LDTILECFG: all eight registers of full size.
struct alignas(64) TileConfig {
  uint8_t palette = 1, start_row = 0;
  uint8_t reserved[14] = {};
  uint16_t row_bytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
  uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
};
constexpr TileConfig
    kTileConfig;  // static, since the compiler assumes that only its first bytes are read

/// Configures this thread's tile registers, and releases them at the end of the scope.
class TileRegisters {
 public:
  ATTEND_TARGET TileRegisters() { _tile_loadconfig(&kTileConfig); }
  ATTEND_TARGET ~TileRegisters() { _tile_release(); }
  TileRegisters(const TileRegisters&) = delete;
  TileRegisters& operator=(const TileRegisters&) = delete;
};

/// Forces earlier writes to memory: the compiler assumes that tile instructions read no memory.
inline void finish_writing() {
  std::atomic_signal_fence(std::memory_order_seq_cst);
}

}  // namespace
}  // namespace attend::kernels
