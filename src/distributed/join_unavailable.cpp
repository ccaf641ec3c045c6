// Replaces join.cpp if LibTorch has no c10d with Gloo.
#include "core/error.h"
#include "distributed/join.h"

namespace attend::distributed {
namespace {

[[noreturn]] void refuse() {
  throw UsageError(
      "this program was built without c10d and Gloo and can train in one process only. For "
      "several, "
      "build it with Debian 12's LibTorch and libgloo-dev (an upstream LibTorch has no headers of "
      "Gloo)");
}

}  // namespace

bool is_available() {
  return false;
}

std::unique_ptr<Group> join(const Place&) {
  refuse();
}

std::unique_ptr<MeetingPoint> open_meeting_point() {
  refuse();
}

}  // namespace attend::distributed
