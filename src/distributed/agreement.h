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

/// Properties that all processes must share, each with what it is called ("the config").
using Properties = std::vector<std::pair<std::string, std::string>>;

/// Throws UsageError, in all processes, where a property of one is not that of the first, with its
/// name, both processes and both values. Requires: the same names everywhere. `peers` may be null.
void check_alike(Communicator* peers, const std::string& topic, const Properties& properties);

}  // namespace attend::distributed
