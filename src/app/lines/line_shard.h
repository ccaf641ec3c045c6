#pragma once
#include <cstdint>
#include <functional>
#include <string>

namespace attend::app {

/// The blocks of lines (as translate_lines() reads them) that one of `count` processes translates:
/// number index, index + count, index + 2 count and so on.
struct LineShard {
  int64_t index = 0;  ///< from 0
  int64_t count = 1;

  [[nodiscard]] bool has(int64_t block) const { return block % count == index; }
  /// The shard as parse_shard() reads it: "1/4" is the first of four.
  [[nodiscard]] std::string name() const;
};

/// The value of an environment variable, or null.
using Environment = std::function<const char*(const char*)>;

/// Parses "I/N", I from 1 to N, or "env", which reads rank and number of processes from the
/// variables of torchrun (RANK, WORLD_SIZE), Slurm (SLURM_PROCID, SLURM_NTASKS) or Open MPI
/// (OMPI_COMM_WORLD_RANK, OMPI_COMM_WORLD_SIZE). Throws UsageError for anything else.
[[nodiscard]] LineShard parse_shard(const std::string& text, const Environment& environment);

}  // namespace attend::app
