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

/// What the processes of a run do together in an update, once each has computed the gradients of
/// its share of the batches. All of them call the same functions in the same order.
class JointUpdate {
 public:
  virtual ~JointUpdate() = default;

  /// The next backward pass of this process is its last in this update.
  virtual void expect_last_pass() = 0;
  /// After it: `losses` become the sums of those of all processes, the gradients of part() too.
  virtual void add_up(std::vector<double>& losses) = 0;
  /// What this process changes.
  [[nodiscard]] virtual Part part() const = 0;
  /// The sum of what each process found in its part.
  [[nodiscard]] virtual double over_parts(double value) = 0;
  /// After the change of part(), the gradients zero there: all processes have all new parameters.
  virtual void share() = 0;
};

/// Whether processes work together in shared memory: not where there is one alone, on several
/// machines, on a GPU, or with training.distributed.precision bf16, which is about what travels.
[[nodiscard]] bool share_memory(const TrainingOptions& options, torch::Device device,
                                const distributed::Communicator* peers);

/// By memory or by messages, as share_memory() says. Requires: parameters in shared_buffers().
[[nodiscard]] std::unique_ptr<JointUpdate> make_joint_update(const FlatParameters& parameters,
                                                             const TrainingOptions& options,
                                                             distributed::Communicator& peers);

/// Where processes that share memory have what all of them read: parameters and gradients, each its
/// own, and statistics, all the same.
struct SharedBuffers {
  MakeZeros own;
  MakeZeros common;
};

/// Empty functions where share_memory() is false.
[[nodiscard]] SharedBuffers shared_buffers(const TrainingOptions& options, torch::Device device,
                                           distributed::Communicator* peers);

}  // namespace attend::train
