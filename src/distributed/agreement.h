#pragma once
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "distributed/communicator.h"

namespace attend::distributed {

/// Runs `task` in every process and returns once it has succeeded in all of them. A process whose
/// task throws a UserError rethrows it. The others throw an error with the same exit code that
/// names the failed process of lowest rank. If `peers` is null, there is only this process.
void agree(Communicator* peers, const std::string& topic, const std::function<void()>& task);

/// Runs `task` in every process. The first process returns all results, by rank; the others return
/// nothing and do not wait. If the task throws a UserError in the first process, that process
/// rethrows it once all others have answered. If the task throws in another process, that process
/// returns, and the first process throws an error that names it and has the same exit code. This
/// error is a Stopped if the process was stopped by a signal, or a NumericError if it threw one.
/// The others learn of the error in the next Communicator::decide().
[[nodiscard]] std::vector<std::string> gather(Communicator& peers,
                                              const std::function<std::string()>& task);

/// Properties that must be equal in all processes: name ("the config") and value.
using Properties = std::vector<std::pair<std::string, std::string>>;

/// Throws UsageError in all processes if a property differs between the first process and another.
/// The message has the name, both processes and both values. Requires: the same names everywhere.
/// `peers` may be null.
void check_alike(Communicator* peers, const std::string& topic, const Properties& properties);

/// Throws UsageError in all processes if two of them have the same `value`, unless it is empty. The
/// message names both and says `what` they do. `peers` may be null.
void check_distinct(Communicator* peers, const std::string& topic, const std::string& value,
                    const std::string& what);

}  // namespace attend::distributed
