#pragma once
#include <torch/types.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "distributed/communicator.h"
#include "train/options.h"
#include "train/update/flat_parameters.h"

namespace attend::train {

/// A part of the flat parameters.
struct Part {
  int64_t begin = 0;
  int64_t size = 0;

  [[nodiscard]] torch::Tensor of(const torch::Tensor& buffer) const {
    return buffer.narrow(0, begin, size);
  }
};

/// The joint part of an update, after each process has computed the gradients of its share of the
/// batches. All processes call the same functions in the same order.
class JointUpdate {
 public:
  virtual ~JointUpdate() = default;

  /// Announces that the next backward pass of this process is its last in this update.
  virtual void expect_last_pass() = 0;
  /// Sums `losses` and the gradients of part() over all processes, after the last pass.
  virtual void add_up(std::vector<double>& losses) = 0;
  /// The part of the parameters that this process changes.
  [[nodiscard]] virtual Part part() const = 0;
  /// Sums `value`, which each process computed for its part.
  [[nodiscard]] virtual double sum_over_parts(double value) = 0;
  /// Call after changing part() and zeroing its gradients. Afterwards all processes have all new
  /// parameters.
  virtual void share() = 0;
};

/// True if the processes use shared memory. False if there is only one, if they run on several
/// machines or on a GPU, or with training.distributed.precision bf16, which only messages support.
[[nodiscard]] bool share_memory(const TrainingOptions& options, torch::Device device,
                                const distributed::Communicator* peers);

/// Makes an update through shared memory if share_memory() holds, otherwise through messages.
/// Requires: the parameters are in shared_buffers().
[[nodiscard]] std::unique_ptr<JointUpdate> make_joint_update(const FlatParameters& parameters,
                                                             const TrainingOptions& options,
                                                             distributed::Communicator& peers);

/// Allocators for processes that share memory: parameters and gradients, one buffer per process,
/// and statistics, one buffer for all.
struct SharedBuffers {
  MakeZeros own;
  MakeZeros common;
};

/// The allocators for shared memory; empty functions if share_memory() is false.
[[nodiscard]] SharedBuffers shared_buffers(const TrainingOptions& options, torch::Device device,
                                           distributed::Communicator* peers);

}  // namespace attend::train
