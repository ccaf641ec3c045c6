#pragma once
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace attend::distributed {

/// A key-value store for the processes that this one starts. A thread serves it as long as this
/// object exists. It has no address: only processes that inherit a connection can reach it.
class MeetingPoint {
 public:
  /// Throws std::system_error.
  MeetingPoint();
  ~MeetingPoint();
  MeetingPoint(const MeetingPoint&) = delete;
  MeetingPoint& operator=(const MeetingPoint&) = delete;

  /// Opens a connection, to be used by a SocketStore. The caller owns the descriptor, which is
  /// closed on exec. Throws std::system_error.
  [[nodiscard]] int connect();

 private:
  class Connection;

  void serve();
  void take_new_connections(std::vector<Connection>& connections);

  std::map<std::string, std::string> values_;  // used by the thread only
  int wake_ = -1;                              // an eventfd
  std::mutex mutex_;
  std::vector<int> new_connections_;
  bool ended_ = false;
  std::thread thread_;
};

}  // namespace attend::distributed
