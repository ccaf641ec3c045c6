#pragma once
#include "nn/linear.h"

namespace attend::nn {

/// One vector of a sequence's states h_t, by an attention whose query u_w is learned:
///   u_t = tanh(W h_t + b),  a = softmax(u_t . u_w),  v = sum of a_t h_t
/// (Yang et al. 2016, "Hierarchical Attention Networks for Document Classification", Eq. 5-7).
class AttentionPooling final : public Block {
 public:
  /// States of `size`, and a query of the same.
  explicit AttentionPooling(int64_t size);

  struct Pooled {
    torch::Tensor vectors;  // [N, C]
    torch::Tensor weights;  // [N, S]
  };
  /// states [N, S, C]; mask [N, S] bool, true = real.
  [[nodiscard]] Pooled forward(const torch::Tensor& states, const torch::Tensor& mask) const;

  void initialize(const at::Generator& generator) override;

 private:
  torch::Tensor weight_;  // [C, C]
  torch::Tensor bias_;    // [C]
  torch::Tensor query_;   // [C]
};

}  // namespace attend::nn
