#pragma once
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "distributed/communicator.h"
#include "distributed/place.h"

namespace attend::distributed {

/// Whether this program can train with several processes: whether its LibTorch has c10d with Gloo.
[[nodiscard]] bool is_available();

/// The processes that joined.
class Group : public Communicator {
 public:
  /// From now on what takes longer than that without a word from another process is an error.
  /// Connects the processes for sum() and take_from_first(), which need it. All must call it.
  virtual void connect(std::chrono::milliseconds timeout) = 0;

  /// Tells the others why this process ends, so that they can say it.
  virtual void report_failure(const std::string& message) noexcept = 0;

  /// The last call. Processes but the first wait for the first to end its work (launchers end
  /// what runs when one process ends).
  virtual void part() noexcept = 0;
};

/// Meets the other processes of a run, which have two minutes to come. Throws UsageError where this
/// program cannot, and PeerError where they do not come. Requires: there are others.
[[nodiscard]] std::unique_ptr<Group> join(const Place& place);

/// The meeting point of processes that this one starts, for as long as it lives.
class MeetingPoint {
 public:
  virtual ~MeetingPoint() = default;
  [[nodiscard]] virtual uint16_t port() const = 0;
};

/// Listens on this machine. Throws UsageError where this program cannot.
[[nodiscard]] std::unique_ptr<MeetingPoint> open_meeting_point();

}  // namespace attend::distributed
