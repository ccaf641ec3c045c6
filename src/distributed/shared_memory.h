#pragma once
#include <torch/types.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace attend::distributed {

/// Memory shared by the processes of a run on one machine: no messages are needed, and common data
/// exists once. It has no name and disappears with the last process, even after a crash. All
/// processes must call the same functions in the same order.
class SharedMemory {
 public:
  /// How to reach the other processes.
  struct Peers {
    int64_t rank = 0;
    /// Sends a note and returns the notes of all processes, by rank.
    std::function<std::vector<std::string>(const std::string& note)> exchange;
    /// Throws the error that another process is gone or did not arrive within `timeout`.
    std::function<void(const std::string& why)> fail;
    std::chrono::milliseconds timeout{0};
  };

  /// Returns null if the processes cannot all see each other's memory: they run on several machines
  /// or containers, or the system does not allow it.
  [[nodiscard]] static std::unique_ptr<SharedMemory> open(Peers peers);
  virtual ~SharedMemory() = default;

  /// Returns zeros [size] that belong to this process and that the others can access. The tensor
  /// may outlive this object. Throws DataError in all processes if the memory cannot be mapped. The
  /// system reserves nothing: if it runs out later, it kills the process that writes.
  [[nodiscard]] virtual torch::Tensor zeros(int64_t size, torch::ScalarType type) = 0;

  /// The tensor that process `rank` got from the call of zeros() that returned `own` here.
  [[nodiscard]] virtual torch::Tensor of(int64_t rank, const torch::Tensor& own) const = 0;

  /// A barrier: returns once all processes have called it. Earlier writes of all are then visible.
  virtual void wait() = 0;

  /// Waits like wait() and returns the sums of the values of all processes, added up by rank: the
  /// same bits everywhere. Requires: at most kMostValues values.
  [[nodiscard]] virtual std::vector<double> sum(const std::vector<double>& values) = 0;

  static constexpr std::size_t kMostValues = 32;
};

}  // namespace attend::distributed
