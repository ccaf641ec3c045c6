#pragma once
#include "nn/linear.h"

namespace attend::nn {

/// Pools a sequence of states h_t into one vector with a learned query u_w:
///   u_t = tanh(W h_t + b),  a = softmax(u_t . u_w),  v = sum of a_t h_t
/// (Yang et al. 2016, "Hierarchical Attention Networks for Document Classification", Eq. 5-7).
class AttentionPooling final : public Block {
 public:
  /// States and query have `size` features.
  explicit AttentionPooling(int64_t size);

  struct Pooled {
    torch::Tensor vectors;  // [N, C]
    torch::Tensor weights;  // [N, S]
  };
  /// states [N, S, C]; mask [N, S] bool, true = not padding.
  [[nodiscard]] Pooled forward(const torch::Tensor& states, const torch::Tensor& mask) const;

  void initialize(const at::Generator& generator) override;

 private:
  torch::Tensor weight_;  // [C, C]
  torch::Tensor bias_;    // [C]
  torch::Tensor query_;   // [C]
};

}  // namespace attend::nn
