// Replaces join.cpp if LibTorch has no c10d with Gloo.
#include "core/error.h"
#include "distributed/join.h"

namespace attend::distributed {
bool is_available() {
  return false;
}

void check_available() {
  throw UsageError(
      "this program was built without c10d and Gloo and can train in one process only; on Debian "
      "12 install libgloo-dev and build it again");
}

std::unique_ptr<Group> join(const Place&) {
  check_available();
  return nullptr;
}

}  // namespace attend::distributed
