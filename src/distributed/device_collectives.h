#pragma once
#include <torch/types.h>

#include <cstdint>
#include <functional>

namespace attend::distributed {

/// Operations in which all processes take part, on tensors in the memory of a device. Each process
/// has one device. A device may carry out the operations later, but in the order of the calls. The
/// functions throw LostContact because of another process.
class DeviceCollectives {
 public:
  virtual ~DeviceCollectives() = default;

  [[nodiscard]] virtual int64_t rank() const = 0;
  [[nodiscard]] virtual int64_t size() const = 0;

  /// Runs `task`, which calls the functions below and uses tensors. The device carries out all of
  /// that in order, after the work that it was given before, beside work that it is given later.
  virtual void queue(const std::function<void()>& task) = 0;

  // Only inside queue(). Requires: contiguous tensors on the device, of equal sizes and types in
  // all processes.

  /// Replaces `values` by their sums. All processes get the same bits.
  virtual void all_reduce(const torch::Tensor& values) = 0;
  /// Sends row r of `sent` to process r and puts what it sent here into row r of `received`. Both
  /// [size(), n].
  virtual void all_to_all(const torch::Tensor& received, const torch::Tensor& sent) = 0;
  /// Puts `sent` [n] of process r into row r of `received` [size(), n], in all processes.
  virtual void all_gather(const torch::Tensor& received, const torch::Tensor& sent) = 0;
  /// Replaces `values` by those of the first process.
  virtual void broadcast(const torch::Tensor& values) = 0;

  /// Returns once the device has carried out everything that was queued.
  virtual void wait() = 0;

  /// Ends what was queued without the other processes. No other function may be called then.
  virtual void abandon() noexcept = 0;
};

}  // namespace attend::distributed
