#pragma once
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <torch/csrc/distributed/c10d/Store.hpp>
#include <vector>

#include "distributed/place.h"

namespace attend::distributed {

/// Who takes part.
struct Peer {
  std::string host;
  int64_t process = 0;
};

/// Thrown where a process is not heard of any more, or the board itself is out of reach.
struct PeerLost {
  std::optional<int64_t> rank;  // nothing: it is not known which
  std::string why;              // "was not heard of for 60 s"
  bool told = false;            // it reported this itself
};

/// Where the processes of a run leave notes for each other: a store of c10d, kept by the launcher
/// or by the first process. Every process beats on it, so that the others see that it is alive
/// however long its work takes.
class Rendezvous {
 public:
  explicit Rendezvous(const Place& place);
  /// Stops beating.
  ~Rendezvous();
  Rendezvous(const Rendezvous&) = delete;
  Rendezvous& operator=(const Rendezvous&) = delete;

  void set_timeout(std::chrono::milliseconds timeout) { timeout_ = timeout; }
  [[nodiscard]] std::chrono::milliseconds timeout() const { return timeout_; }

  void post(const std::string& key, const std::string& text);
  /// Nothing: there is no such note (yet).
  [[nodiscard]] std::optional<std::string> find(const std::string& key);
  /// The note, once it is there. Throws PeerLost where `rank`, who is to write it, has not beaten
  /// for timeout(), or reported a failure.
  [[nodiscard]] std::string await(const std::string& key, int64_t rank);
  /// The same, and the note is gone.
  [[nodiscard]] std::string take(const std::string& key, int64_t rank);

  /// Ranks that have not beaten for `window`, of those given.
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
  c10::intrusive_ptr<c10d::Store> heartbeat_store_;  // a connection of its own: others may wait
  std::mutex mutex_;
  std::condition_variable wake_;
  bool ended_ = false;
  std::thread heartbeats_;
};

}  // namespace attend::distributed
