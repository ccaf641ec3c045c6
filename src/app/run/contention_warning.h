#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>

#include "train/observer.h"

namespace attend::app {

/// CPU time of the calling thread so far, in seconds.
[[nodiscard]] double thread_cpu_seconds();

/// Warns once if other programs use the cores. For runs of one process: there the training thread
/// always computes or waits busily for other threads, so CPU time that it misses went to other
/// programs. With several threads, all wait for the one that is interrupted, which multiplies the
/// loss, so the warning advises fewer.
class ContentionWarning final : public train::TrainObserver {
 public:
  /// `threads`: number of training threads; `cpu_seconds`: CPU time of the calling thread.
  explicit ContentionWarning(int64_t threads,
                             std::function<double()> cpu_seconds = thread_cpu_seconds)
      : threads_(threads), cpu_seconds_(std::move(cpu_seconds)) {}

  void on_update(const train::UpdateReport& report) override;

 private:
  struct Times {
    double wall = 0.0;
    double cpu = 0.0;
  };

  int64_t threads_;
  std::function<double()> cpu_seconds_;
  std::optional<Times> begin_;  // of the current interval
  bool warned_ = false;
};

}  // namespace attend::app
