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

#include "distributed/links.h"
#include "distributed/sums.h"

namespace attend::distributed {

/// Sums of CPU tensors through Gloo, computed by a background thread. Values are sent in pieces of
/// at most 4 MiB, several at a time.
///
/// Wire::full uses Gloo's ring: each process sends and receives 2 (N - 1) / N of the values. With
/// Wire::bf16 each process receives one Nth of the values from every other process, adds them in
/// float by rank to its own unrounded ones, rounds the sum to bf16 and sends it to all. This sends
/// as many values as the ring, at half the size. With u = 2^-8 the error of the sum s of values x_r
/// is at most u (sum of |x_r|) + u |s|, to first order. A ring would round in each of N - 1 steps.
class GlooSums final : public Sums {
 public:
  /// Connects the processes. Throws Gloo's error.
  explicit GlooSums(const Links& links);
  /// Waits for unfinished sums, forever if another process does not answer.
  ~GlooSums() override;
  GlooSums(const GlooSums&) = delete;
  GlooSums& operator=(const GlooSums&) = delete;

  void begin(const torch::Tensor& values, Wire wire) override;
  void finish() override;
  void take_from_first(const torch::Tensor& values) override;

  /// The sum of one piece.
  class Sum;

 private:
  using Task = std::packaged_task<void()>;

  void run();
  void post(Task task);
  void start(const torch::Tensor& values, Wire wire);
  void complete();

  c10::intrusive_ptr<c10d::ProcessGroupGloo> gloo_;
  std::vector<std::unique_ptr<Sum>> sums_;  // used by the thread only
  std::exception_ptr failure_;              // used by the thread only
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Task> tasks_;
  bool ended_ = false;
  std::thread thread_;
};

}  // namespace attend::distributed
