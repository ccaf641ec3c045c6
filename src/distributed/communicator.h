#pragma once
#include <torch/types.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace attend::distributed {

class SharedMemory;

/// The number format in which a sum is sent. bf16, for float values only, halves the bytes: addends
/// are rounded to bf16 when sent, added up in float, and the sum is rounded to bf16 once.
enum class Wire { full, bf16 };

/// One process's view of the processes that train a model together. All must call the same
/// functions in the same order. The first process, rank 0, leads: only it logs, writes files and
/// makes decisions that the others cannot compute. All functions throw PeerError if another process
/// has ended or stopped responding.
class Communicator {
 public:
  virtual ~Communicator() = default;

  [[nodiscard]] virtual int64_t rank() const = 0;
  [[nodiscard]] virtual int64_t size() const = 0;
  [[nodiscard]] bool leads() const { return rank() == 0; }

  /// Replaces `values` [N] by their sums over all processes. All processes get the same bits, in
  /// every run with the same number of processes (on GPUs: on the same machines, with the same
  /// NCCL). Values on a GPU stay there.
  void sum(const torch::Tensor& values) {
    begin_sum(values, Wire::full);
    finish_sums();
  }

  /// Starts a sum() and returns at once. Until finish_sums(), `values` [N] must not change, and
  /// only other sums may be started. Several sums run at a time, in the order of their start.
  virtual void begin_sum(const torch::Tensor& values, Wire wire) = 0;
  /// Waits for all started sums.
  virtual void finish_sums() = 0;

  /// Memory shared by all processes; null if they run on several machines or GPUs or cannot share
  /// memory.
  [[nodiscard]] virtual SharedMemory* memory() const { return nullptr; }

  /// Replaces `values` by the values of the first process (broadcast).
  virtual void take_from_first(const torch::Tensor& values) = 0;

  /// Runs `task` in the first process only and returns its result in all. The others wait as long
  /// as the first process is alive. If the task throws, all throw; UserErrors keep their exit code.
  [[nodiscard]] virtual std::string decide(const std::function<std::string()>& task) = 0;

  /// Returns the `note` of every process, by rank, in the first process. The others return nothing
  /// and do not wait.
  [[nodiscard]] virtual std::vector<std::string> collect(const std::string& note) = 0;

  /// Returns the `note` of every process, by rank, in all processes. `topic` must be unique to the
  /// call.
  [[nodiscard]] virtual std::vector<std::string> exchange(const std::string& topic,
                                                          const std::string& note) = 0;

  /// The name of a process in messages: "rank 1 (host a)".
  [[nodiscard]] virtual std::string name_of(int64_t rank) const = 0;
};

}  // namespace attend::distributed
