#pragma once
#include <torch/types.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "distributed/communicator.h"
#include "distributed/place.h"

namespace attend::distributed {

/// True if this program can train with several processes: its LibTorch has c10d.
[[nodiscard]] bool is_available();
/// Throws UsageError if not, or if they cannot use `device`: a GPU, but the program has no NCCL.
void check_available(torch::Device device = torch::kCPU);
/// True if the processes can send gradients of CPU training fast from machine to machine: the
/// program has Gloo.
[[nodiscard]] bool has_fast_messages();

/// The processes of a run after join().
class Group : public Communicator {
 public:
  /// Connects the processes, as sum() and take_from_first() require: of CPU tensors, and of tensors
  /// on `device`, a GPU of this process alone, or the CPU. All processes must call it with the same
  /// kind of device. From then on it is an error if a process does not respond for `timeout`.
  /// Throws UsageError for a GPU if this program has no NCCL.
  virtual void connect(std::chrono::milliseconds timeout, torch::Device device) = 0;

  /// Tells the other processes why this one ends, so that they can report it.
  virtual void report_failure(const std::string& message) noexcept = 0;

  /// The last call of every process. All wait until the first process has finished its work, since
  /// launchers kill the remaining processes when one ends.
  virtual void part() noexcept = 0;
};

/// Waits up to two minutes for the other processes of a run. Throws UsageError if this program
/// cannot train with several processes, PeerError if some do not arrive. Requires: size > 1.
[[nodiscard]] std::unique_ptr<Group> join(const Place& place);

}  // namespace attend::distributed
