#pragma once
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <torch/csrc/distributed/c10d/Store.hpp>
#include <vector>

#include "distributed/place.h"

namespace attend::distributed {

/// A process of the run.
struct Peer {
  std::string host;
  int64_t process = 0;
};

/// Thrown if a process stops sending heartbeats or the store cannot be reached.
struct PeerLost {
  std::optional<int64_t> rank;  // empty if unknown
  std::string why;              // follows the name of the process: "sent no heartbeat for 60 s"
  bool reported_by_itself = false;
};

/// The key-value store (c10d) through which the processes of a run exchange notes, hosted by the
/// launcher or by the first process. Every process writes heartbeats to it, so that the others see
/// that it is alive, however long its work takes. All functions throw PeerLost if the store cannot
/// be reached.
class Rendezvous {
 public:
  explicit Rendezvous(const Place& place);
  /// Stops the heartbeats.
  ~Rendezvous();
  Rendezvous(const Rendezvous&) = delete;
  Rendezvous& operator=(const Rendezvous&) = delete;

  void set_timeout(std::chrono::milliseconds timeout) { timeout_ = timeout; }
  [[nodiscard]] std::chrono::milliseconds timeout() const { return timeout_; }

  void post(const std::string& key, const std::string& text);
  /// Returns a note, or nothing if it has not been posted.
  [[nodiscard]] std::optional<std::string> find(const std::string& key);
  /// Waits for a note that `rank` posts, and calls `check` again and again meanwhile. Throws
  /// PeerLost if `rank` sends no heartbeat for timeout() or reports a failure.
  [[nodiscard]] std::string await(
      const std::string& key, int64_t rank, const std::function<void()>& check = [] {});
  /// Like await(), and deletes the note.
  [[nodiscard]] std::string take(const std::string& key, int64_t rank);
  /// Deletes a note.
  void remove(const std::string& key);

  /// Waits for `window` and returns the `ranks` that sent no heartbeat in that time.
  [[nodiscard]] std::vector<int64_t> silent(const std::vector<int64_t>& ranks,
                                            std::chrono::milliseconds window);

  [[nodiscard]] const c10::intrusive_ptr<c10d::Store>& store() const { return store_; }

 private:
  void send_heartbeats();
  [[nodiscard]] std::string heartbeat_of(int64_t rank);
  void check_failure(int64_t rank);

  Place place_;
  std::chrono::milliseconds timeout_;
  c10::intrusive_ptr<c10d::Store> store_;
  c10::intrusive_ptr<c10d::Store> heartbeat_store_;  // separate, since calls on store_ may wait
  std::mutex mutex_;
  std::condition_variable wake_;
  bool ended_ = false;
  std::thread heartbeats_;
};

}  // namespace attend::distributed
