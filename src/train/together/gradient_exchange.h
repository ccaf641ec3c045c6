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

/// Adds up the gradients of several processes while the last backward pass of an update computes
/// them. The flat gradients are cut into buckets, from the end: models register their layers about
/// in the order of the forward pass. A bucket is sent once the gradients of all parameters in it
/// are complete and the bucket before it is on its way, so that all processes send in the same
/// order.
///
/// A gradient is complete when LibTorch comes to accumulate it, which it does once all functions
/// that read the parameter have run backward, those too that add to the memory themselves
/// (nn::gradient_in_place) and hand on nothing. A fused function gives all gradients of its weights
/// at its end: the loop of a decoder over all steps is one such function, that of an encoder
/// another, so that of a recurrent model the output layer travels while the decoder runs backward,
/// the decoder while the encoder does, and what the encoder reads at the end.
class GradientExchange final : public JointUpdate {
 public:
  /// Values that are sent at once.
  static constexpr int64_t kBucket = int64_t{1} << 20;

  /// `peers` is borrowed.
  GradientExchange(const FlatParameters& parameters, distributed::Communicator& peers,
                   distributed::Wire wire, int64_t bucket = kBucket);
  ~GradientExchange() override;
  GradientExchange(const GradientExchange&) = delete;
  GradientExchange& operator=(const GradientExchange&) = delete;

  /// What the pass completes is sent.
  void expect_last_pass() override;
  /// Begins to send what is left: all, where there was no last pass. The sums are there after
  /// Communicator::finish_sums().
  void send_rest();

  void add_up(std::vector<double>& losses) override;
  /// All: every process changes all parameters.
  [[nodiscard]] Part part() const override { return all_; }
  [[nodiscard]] double over_parts(double value) override { return value; }
  void share() override {}

 private:
  struct Bucket {
    torch::Tensor gradients;
    int64_t parameters = 0;  // that have a part in it
    int64_t incomplete = 0;  // of them, in this pass
  };
  /// What is told when a parameter is complete.
  struct Watch {
    std::shared_ptr<torch::autograd::Node> accumulator;
    uintptr_t hook = 0;
  };

  /// `parameter` lies in these buckets.
  void watch(const torch::Tensor& parameter, std::size_t first, std::size_t last);
  /// A parameter that lies in these buckets is complete.
  void complete(std::size_t first, std::size_t last);

  distributed::Communicator& peers_;
  distributed::Wire wire_;
  Part all_;
  std::vector<Bucket> buckets_;  // in the order in which they are sent
  std::vector<Watch> watches_;
  std::size_t sent_ = 0;
  bool is_last_pass_ = false;
};

}  // namespace attend::train
