#pragma once
#include <cstdint>
#include <string>

#include "distributed/place.h"

namespace attend::distributed {

/// How the processes of a run on this machine ended.
struct LocalEnding {
  int exit_code = 0;            ///< of the first that failed; 128 + N if signal N ended it
  std::string unreported = {};  ///< what none of them can have told
};

/// Starts this program `count` times with the arguments that it has, as torchrun would, and waits
/// for all of them. A signal that asks this process to stop is passed on once. When one fails, or
/// the work is done, the others have 5 seconds to end by themselves. None outlives this process,
/// however that ends. Throws UsageError where this program cannot train with several processes, and
/// std::system_error.
[[nodiscard]] LocalEnding run_local_ranks(int64_t count);

/// Whether run_local_ranks() started this process.
[[nodiscard]] bool is_local_rank(const Environment& environment);

}  // namespace attend::distributed
