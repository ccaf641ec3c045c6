#pragma once
#include <torch/types.h>

#include "distributed/communicator.h"

namespace attend::distributed {

/// Sums and copies of tensors over all processes, for tensors on one kind of device. All processes
/// must call the same functions in the same order. The functions throw LostContact because of
/// another process; afterwards only abandon() and the destructor may be called.
class Sums {
 public:
  virtual ~Sums() = default;

  /// See Communicator::begin_sum(). Wire::bf16 requires float values. Does not throw LostContact;
  /// finish() does so instead.
  virtual void begin(const torch::Tensor& values, Wire wire) = 0;
  /// See Communicator::finish_sums().
  virtual void finish() = 0;
  /// See Communicator::take_from_first(). Requires: no unfinished sums.
  virtual void take_from_first(const torch::Tensor& values) = 0;

  /// Gives up unfinished sums without the other processes.
  virtual void abandon() noexcept {}
};

}  // namespace attend::distributed
