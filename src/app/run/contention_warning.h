#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>

#include "train/observer.h"

namespace attend::app {

/// Processor time that the calling thread has had so far, in seconds.
[[nodiscard]] double thread_cpu_seconds();

/// Warns once if other programs hold the cores: the thread that trains always computes, or waits
/// busily for the other threads, so that time it does not have was given to others. Several threads
/// that wait for each other lose far more by this than their share, so their number is advised on.
class ContentionWarning final : public train::TrainObserver {
 public:
  /// `threads`: those that train together; `cpu_seconds`: of the one that leads.
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
  std::optional<Times> begin_;  // of what is looked at
  bool warned_ = false;
};

}  // namespace attend::app
