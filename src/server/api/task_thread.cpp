#include "server/api/task_thread.h"

#include <fmt/format.h>

#include <utility>

#include "server/http/api_error.h"

namespace attend::server {
namespace {

constexpr std::size_t kMostTasks = 1024;  // waiting

}  // namespace

TaskThread::TaskThread() : thread_([this] { work(); }) {}

TaskThread::~TaskThread() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void TaskThread::add(std::function<void()> task) {
  {
    const std::lock_guard lock(mutex_);
    if (tasks_.size() >= kMostTasks)
      throw ApiError(
          429, "too_many_requests",
          fmt::format("{} such requests are waiting; try again in a moment", kMostTasks));
    tasks_.push_back(std::move(task));
  }
  changed_.notify_one();
}

void TaskThread::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return stopping_ || !tasks_.empty(); });
    if (tasks_.empty()) return;
    const auto task = std::move(tasks_.front());
    tasks_.pop_front();
    lock.unlock();
    task();
    lock.lock();
  }
}

}  // namespace attend::server
