#pragma once
#include <memory>

#include "model/transformer/layer_options.h"
#include "nn/linear.h"

namespace attend::model {

/// Two layers applied at every position, with dropout between them:
///   relu, gelu:      W_2 act(W_1 x + b_1) + b_2   (Vaswani et al. 2017, Sec. 3.3)
///   geglu, swiglu:   W_2 (act(W_1 x + b_1) * (W_3 x + b_3)) + b_2, act: gelu or x sigmoid(x)
///                    (Shazeer 2020, arXiv 2002.05202, Eq. 6, with biases)
class FeedForward : public torch::nn::Module {
 public:
  explicit FeedForward(const LayerOptions& options);

  /// x [..., C] -> the same shape.
  [[nodiscard]] torch::Tensor forward(const torch::Tensor& x) const;

 private:
  /// dropout(relu(W_1 x + b_1)) with kernels.
  [[nodiscard]] torch::Tensor rectified(const torch::Tensor& x) const;
  [[nodiscard]] torch::Tensor activated(const torch::Tensor& x) const;
  /// linear.forward(x), whose result stays in bf16 on a device that computes in bf16.
  [[nodiscard]] static torch::Tensor wide(const nn::Linear& linear, const torch::Tensor& x);

  Activation activation_;
  double dropout_;
  std::shared_ptr<nn::Linear> inner_;
  std::shared_ptr<nn::Linear> gated_;  // null if there is no gate
  std::shared_ptr<nn::Linear> outer_;
};

}  // namespace attend::model
