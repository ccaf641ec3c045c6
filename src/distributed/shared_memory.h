#pragma once
#include <torch/types.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace attend::distributed {

/// Memory of the processes of a run on one machine, each of which sees that of all: nothing has to
/// travel, and what all need is there once. It has no name, and goes with the last process, however
/// that ends. All processes must call the same functions in the same order.
class SharedMemory {
 public:
  /// How a process stands to the others.
  struct Peers {
    int64_t rank = 0;
    /// Tells a note; returns those of all, by rank.
    std::function<std::vector<std::string>(const std::string& note)> exchange;
    /// Throws, since another process is gone or did not come for `timeout`.
    std::function<void(const std::string& why)> fail;
    std::chrono::milliseconds timeout{0};
  };

  /// Nothing: they cannot all see each other's memory (other machines or containers, or a system
  /// that does not allow it).
  [[nodiscard]] static std::unique_ptr<SharedMemory> open(Peers peers);
  virtual ~SharedMemory() = default;

  /// Zeros [size] of this process, which the others can reach. They stay when this object is gone.
  /// Throws DataError, in all processes, where there is no more.
  [[nodiscard]] virtual torch::Tensor zeros(int64_t size, torch::ScalarType type) = 0;

  /// What zeros() gave in process `rank` when it gave `own` here.
  [[nodiscard]] virtual torch::Tensor of(int64_t rank, const torch::Tensor& own) const = 0;

  /// Returns once all processes have called it. What they wrote before can be read then.
  virtual void wait() = 0;

  /// Waits, and returns the sums of the values of all, added up by rank: the same bits everywhere.
  /// Requires: at most kMostValues.
  [[nodiscard]] virtual std::vector<double> sum(const std::vector<double>& values) = 0;

  static constexpr std::size_t kMostValues = 32;
};

}  // namespace attend::distributed
