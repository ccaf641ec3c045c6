#include "distributed/links.h"

#include <algorithm>

namespace attend::distributed {
namespace {

constexpr std::chrono::milliseconds kBetweenChecks(500);
constexpr std::chrono::milliseconds kLongestStep(1000);

}  // namespace

WaitLimit::WaitLimit(const Links& links) : links_(links) {}

void WaitLimit::check() {
  const auto now = Clock::now();
  // Time during which this process was suspended does not count: the others were, too.
  waited_ += std::min<Clock::duration>(now - polled_, kLongestStep);
  polled_ = now;
  if (waited_ > links_.timeout) throw LostContact("it did not respond in time");
  if (now - checked_ < kBetweenChecks) return;
  checked_ = now;
  links_.check();
}

}  // namespace attend::distributed
