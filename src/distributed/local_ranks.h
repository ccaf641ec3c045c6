#pragma once
#include <cstdint>
#include <string>

#include "distributed/place.h"

namespace attend::distributed {

/// The outcome of run_local_ranks().
struct LocalEnding {
  int exit_code = 0;            ///< of the first process that failed; 128 + N if signal N ended it
  std::string unreported = {};  ///< a failure that no process could report itself
};

/// Starts this program `count` times with its own arguments, as torchrun would, and waits for all
/// of them. Passes the first stop signal on to them. When one fails or the work is done, the others
/// get 5 seconds to end. No process outlives this one, even if it is killed. Throws UsageError if
/// this program cannot train with several processes, and std::system_error.
[[nodiscard]] LocalEnding run_local_ranks(int64_t count);

/// True if run_local_ranks() started this process.
[[nodiscard]] bool is_local_rank(const Environment& environment);

}  // namespace attend::distributed
