#pragma once
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace attend::server {

/// A thread that does one task after the other, in the order in which they came.
class TaskThread {
 public:
  TaskThread();
  /// Finishes what waits.
  ~TaskThread();
  TaskThread(const TaskThread&) = delete;
  TaskThread& operator=(const TaskThread&) = delete;

  /// The task must not throw. Throws ApiError 429 if too many wait already. For any thread.
  void add(std::function<void()> task);

 private:
  void work();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> tasks_;
  bool stopping_ = false;
  std::thread thread_;  // the last, so that it finds the others
};

}  // namespace attend::server
