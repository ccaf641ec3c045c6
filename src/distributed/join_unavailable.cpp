// Replaces join.cpp if LibTorch has no c10d.
#include "core/error.h"
#include "distributed/join.h"

namespace attend::distributed {

bool is_available() {
  return false;
}

void check_available(torch::Device /*device*/) {
  throw UsageError(
      "this program was built with a LibTorch without c10d and can train in one process only. For "
      "several, build it with Debian 12's LibTorch or with one of pytorch.org");
}

bool has_fast_messages() {
  return false;
}

std::unique_ptr<Group> join(const Place&) {
  check_available();
  return nullptr;
}

}  // namespace attend::distributed
