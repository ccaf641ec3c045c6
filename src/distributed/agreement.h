#pragma once
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "distributed/communicator.h"

namespace attend::distributed {

/// Runs `task` in every process and returns once it has succeeded in all of them. A process whose
/// task throws a UserError rethrows it. The others throw an error with the same exit code that
/// names the failed process of lowest rank. With `peers` null there is only this process.
void agree(Communicator* peers, const std::string& topic, const std::function<void()>& task);

/// Runs `task` in every process. The first process returns all results, by rank; the others return
/// nothing and do not wait. If the task throws a UserError in the first process, it rethrows that
/// once all others have answered. If it throws in another process, that process returns, and the
/// first one throws an error with the same exit code (Stopped for a signal, NumericError likewise)
/// that names it. The others learn of it in the next Communicator::decide().
[[nodiscard]] std::vector<std::string> gather(Communicator& peers,
                                              const std::function<std::string()>& task);

/// Properties that must be equal in all processes: name ("the config") and value.
using Properties = std::vector<std::pair<std::string, std::string>>;

/// Throws UsageError in all processes if a property differs between the first process and another.
/// The message has the name, both processes and both values. Requires: the same names everywhere.
/// `peers` may be null.
void check_alike(Communicator* peers, const std::string& topic, const Properties& properties);

}  // namespace attend::distributed
