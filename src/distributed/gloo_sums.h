#pragma once
#include <torch/types.h>

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <thread>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#include <vector>

#include "distributed/communicator.h"

namespace attend::distributed {

/// Sums over the processes of a group of Gloo, made by a thread of its own while the caller goes
/// on. Values go in pieces of at most 4 MiB, several of which are on their way together.
///
/// Wire::full is Gloo's ring: each process sends and receives 2 (N - 1) / N of the values. In
/// Wire::bf16 each process is sent one Nth of the values by every other, adds these up in float, by
/// rank, its own as they are, rounds the sum to bf16 and passes it round: as many values of half
/// the size. With u = 2^-8 a sum s of x_r is off by at most u (sum of |x_r|) + u |s|, to first
/// order; in a ring of bf16 each of the N - 1 steps would round.
class GlooSums {
 public:
  /// `gloo` is borrowed.
  explicit GlooSums(c10d::ProcessGroupGloo& gloo);
  /// Waits for what is on its way.
  ~GlooSums();
  GlooSums(const GlooSums&) = delete;
  GlooSums& operator=(const GlooSums&) = delete;

  /// See Communicator::begin_sum(). Requires for Wire::bf16: float.
  void begin(const torch::Tensor& values, Wire wire);
  /// Throws what the first sum that failed threw; the group is of no use then.
  void finish();

  /// One piece on its way.
  class Sum;

 private:
  using Task = std::packaged_task<void()>;

  void run();
  void post(Task task);
  void start(const torch::Tensor& values, Wire wire);
  void complete();

  c10d::ProcessGroupGloo& gloo_;
  std::vector<std::unique_ptr<Sum>> sums_;  // the thread's
  std::exception_ptr failure_;              // the thread's
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Task> tasks_;
  bool ended_ = false;
  std::thread thread_;
};

}  // namespace attend::distributed
