#pragma once
#include <chrono>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "distributed/place.h"
#include "distributed/rendezvous.h"

namespace attend::distributed {

/// Thrown if a process does not get what it needs from another one, which has ended, failed, hangs
/// or cannot be reached. The group finds out which process it is, and throws PeerError.
class LostContact : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// How the sums of a process reach the other processes of a group.
struct Links {
  Place place;
  Rendezvous& rendezvous;
  /// How long to wait for another process.
  std::chrono::milliseconds timeout{0};
  /// See Communicator::exchange().
  std::function<std::vector<std::string>(const std::string& topic, const std::string& note)>
      exchange;
  /// Throws LostContact if another process has reported a failure or its end is known.
  std::function<void()> check;
};

/// Ends a wait for other processes in time. Make one for each wait.
class WaitLimit {
 public:
  explicit WaitLimit(const Links& links);

  /// Call it again and again while waiting. Throws LostContact after the timeout, and calls
  /// Links::check() twice a second.
  void check();

 private:
  using Clock = std::chrono::steady_clock;

  const Links& links_;
  Clock::time_point polled_ = Clock::now();
  Clock::time_point checked_ = polled_;
  Clock::duration waited_{0};
};

}  // namespace attend::distributed
