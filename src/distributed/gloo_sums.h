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

/// Sums over the processes of a Gloo group, computed by a background thread. Values are sent in
/// pieces of at most 4 MiB, several at a time.
///
/// Wire::full uses Gloo's ring: each process sends and receives 2 (N - 1) / N of the values. With
/// Wire::bf16 each process receives one Nth of the values from every other process, adds them in
/// float by rank to its own unrounded ones, rounds the sum to bf16 and sends it to all. This sends
/// as many values as the ring, at half the size. With u = 2^-8 the error of the sum s of values x_r
/// is at most u (sum of |x_r|) + u |s|, to first order. A ring would round in each of N - 1 steps.
class GlooSums {
 public:
  /// Borrows `gloo`.
  explicit GlooSums(c10d::ProcessGroupGloo& gloo);
  /// Waits for unfinished sums.
  ~GlooSums();
  GlooSums(const GlooSums&) = delete;
  GlooSums& operator=(const GlooSums&) = delete;

  /// See Communicator::begin_sum(). Wire::bf16 requires float values.
  void begin(const torch::Tensor& values, Wire wire);
  /// See Communicator::finish_sums(). Throws the error of the first failed sum; the group is
  /// unusable then.
  void finish();

  /// The sum of one piece.
  class Sum;

 private:
  using Task = std::packaged_task<void()>;

  void run();
  void post(Task task);
  void start(const torch::Tensor& values, Wire wire);
  void complete();

  c10d::ProcessGroupGloo& gloo_;
  std::vector<std::unique_ptr<Sum>> sums_;  // used by the thread only
  std::exception_ptr failure_;              // used by the thread only
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Task> tasks_;
  bool ended_ = false;
  std::thread thread_;
};

}  // namespace attend::distributed
