#pragma once
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "distributed/communicator.h"

namespace attend::distributed {

/// Runs `task` in every process and returns once it succeeded in all of them. Where it throws a
/// UserError, that process throws it again, and the others throw one of the same exit code that
/// names the process, the lowest rank of those that failed. `peers` null: this process alone.
void agree(Communicator* peers, const std::string& topic, const std::function<void()>& task);

/// Runs `task` in every process. The first returns what it gave in each, by rank; the others return
/// nothing, and do not wait. Where it throws a UserError in the first, that throws it once all
/// have told theirs; where it does in another, the first throws one of the same exit code (Stopped
/// where it is a signal's, NumericError likewise) that names the process, which returns: all wait
/// for what the first comes to. See Communicator::decide().
[[nodiscard]] std::vector<std::string> gather(Communicator& peers,
                                              const std::function<std::string()>& task);

/// Properties that all processes must share, each with what it is called ("the config").
using Properties = std::vector<std::pair<std::string, std::string>>;

/// Throws UsageError, in all processes, where a property of one is not that of the first, with its
/// name, both processes and both values. Requires: the same names everywhere. `peers` may be null.
void check_alike(Communicator* peers, const std::string& topic, const Properties& properties);

}  // namespace attend::distributed
