// Replaces join.cpp if LibTorch has no c10d with Gloo.
#include "core/error.h"
#include "distributed/join.h"

namespace attend::distributed {

bool is_available() {
  return false;
}

void check_available() {
  throw UsageError(
      "this program was built without c10d and Gloo and can train in one process only. For "
      "several, "
      "build it with Debian 12's LibTorch and libgloo-dev (an upstream LibTorch has no headers of "
      "Gloo)");
}

std::unique_ptr<Group> join(const Place&) {
  check_available();
  return nullptr;
}

}  // namespace attend::distributed
