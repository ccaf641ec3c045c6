#include "runtime/side_by_side.h"

#include <ATen/Parallel.h>
#include <omp.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>

namespace attend::runtime {
namespace {

/// Keeps the error of the first failed task in order, whichever thread fails first. Since tasks
/// start in order, no task before it is skipped.
class FirstError {
 public:
  [[nodiscard]] bool occurred() const { return occurred_.load(std::memory_order_relaxed); }

  void add(std::size_t task, std::exception_ptr error) {
    const std::lock_guard lock(mutex_);
    if (!error_ || task < task_) {
      task_ = task;
      error_ = std::move(error);
    }
    occurred_.store(true, std::memory_order_relaxed);
  }

  void rethrow() const {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  std::atomic<bool> occurred_ = false;
  std::mutex mutex_;
  std::size_t task_ = 0;
  std::exception_ptr error_;
};

/// The loop of each pool thread: runs the next task until none is left.
void run_tasks(std::atomic<std::size_t>& next, std::size_t count,
               const std::function<void(std::size_t)>& task, FirstError& error) {
  while (!error.occurred()) {
    const std::size_t i = next.fetch_add(1, std::memory_order_relaxed);
    if (i >= count) return;
    try {
      task(i);
    } catch (...) {
      error.add(i, std::current_exception());
    }
  }
}

}  // namespace

int64_t threads() {
  return omp_in_parallel() != 0 ? 1 : omp_get_max_threads();
}

void use_threads(int64_t count) {
  (void)at::get_num_threads();  // else LibTorch's first operation in this thread resets the number
  omp_set_num_threads(static_cast<int>(count));
}

void run_side_by_side(std::size_t count, const std::function<void(std::size_t)>& task) {
  if (threads() == 1 || count < static_cast<std::size_t>(threads())) {
    for (std::size_t i = 0; i < count; ++i) task(i);
    return;
  }
  std::atomic<std::size_t> next = 0;
  FirstError error;
#pragma omp parallel
  run_tasks(next, count, task, error);
  error.rethrow();
}

void run_on_single_threads(std::size_t count, const std::function<void(std::size_t)>& task) {
  class FewerThreads {
   public:
    explicit FewerThreads(int64_t most) : before_(threads()) {
      use_threads(std::min(before_, most));
    }
    ~FewerThreads() { use_threads(before_); }
    FewerThreads(const FewerThreads&) = delete;
    FewerThreads& operator=(const FewerThreads&) = delete;

   private:
    int64_t before_;
  };
  if (count == 0) return;
  const FewerThreads fewer(static_cast<int64_t>(count));
  run_side_by_side(count, task);
}

}  // namespace attend::runtime
