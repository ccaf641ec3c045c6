#pragma once
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace attend::server {

/// A thread that runs tasks in the order in which they were added.
class TaskThread {
 public:
  TaskThread();
  /// Finishes all waiting tasks.
  ~TaskThread();
  TaskThread(const TaskThread&) = delete;
  TaskThread& operator=(const TaskThread&) = delete;

  /// The task must not throw. Throws ApiError 429 if too many tasks are waiting. Thread-safe.
  void add(std::function<void()> task);

 private:
  void work();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> tasks_;
  bool stopping_ = false;
  std::thread thread_;  // the last, because it uses the other members
};

}  // namespace attend::server
