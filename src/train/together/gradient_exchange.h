#pragma once
#include <torch/types.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "distributed/communicator.h"
#include "train/together/joint_update.h"
#include "train/update/flat_parameters.h"

namespace torch::autograd {
struct Node;
}

namespace attend::train {

/// Sums the gradients of several processes while the last backward pass of an update computes them.
/// The flat gradients are cut into buckets from the end, because models register their layers about
/// in the order of the forward pass. A bucket is sent once the gradients of all its parameters are
/// complete and the previous bucket was sent, so that all processes send in the same order. On GPUs
/// the gradients never leave them.
///
/// A gradient is complete when LibTorch accumulates it. That happens once all functions that read
/// the parameter have run backward, including those that add to the memory themselves
/// (nn::gradient_in_place) and return nothing. A fused function produces all gradients of its
/// weights at its end: the loop of a decoder over all steps is one such function, the loop of an
/// encoder another. So in a recurrent model the gradients of the output layer are sent while the
/// decoder runs backward, those of the decoder while the encoder does, and the rest at the end.
class GradientExchange final : public JointUpdate {
 public:
  /// Values per bucket.
  static constexpr int64_t kBucket = int64_t{1} << 20;

  /// `peers` is borrowed.
  GradientExchange(const FlatParameters& parameters, distributed::Communicator& peers,
                   distributed::Wire wire, int64_t bucket = kBucket);
  ~GradientExchange() override;
  GradientExchange(const GradientExchange&) = delete;
  GradientExchange& operator=(const GradientExchange&) = delete;

  /// Sends buckets as the pass completes them.
  void expect_last_pass() override;
  /// Begins to send the remaining buckets (all if there was no last pass). The sums are complete
  /// after Communicator::finish_sums().
  void send_remaining();

  void add_up(std::vector<double>& losses) override;
  /// All parameters, since each process changes all of them.
  [[nodiscard]] Part part() const override { return all_; }
  [[nodiscard]] double sum_over_parts(double value) override { return value; }
  void share() override {}

 private:
  struct Bucket {
    torch::Tensor gradients;
    int64_t parameters = 0;  // parameters that lie in it, wholly or partly
    int64_t incomplete = 0;  // of these, those not complete in this pass
  };
  /// The hook that runs when the gradient of a parameter is complete.
  struct Watch {
    std::shared_ptr<torch::autograd::Node> accumulator;
    uintptr_t hook = 0;
  };

  /// Registers `parameter`, which lies in buckets `first` to `last`.
  void watch(const torch::Tensor& parameter, std::size_t first, std::size_t last);
  /// Called when the gradient of a parameter in buckets `first` to `last` is complete.
  void complete(std::size_t first, std::size_t last);

  distributed::Communicator& peers_;
  distributed::Wire wire_;
  torch::Device device_;  // of the gradients
  Part all_;
  std::vector<Bucket> buckets_;  // in sending order
  std::vector<Watch> watches_;
  std::size_t sent_ = 0;
  bool is_last_pass_ = false;
};

}  // namespace attend::train
