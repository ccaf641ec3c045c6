#pragma once
#include "nn/linear.h"

namespace attend::nn {

/// Simpler simple recurrent unit, whose only recurrence is a forget gate:
///   f_t = sigmoid(W_f x_t + b),  c_t = f_t c_{t-1} + (1 - f_t) W x_t,  h_t = max(c_t, 0)
/// with elementwise products. Kim et al. (2019), "From Research to Production and Back: Ludicrously
/// Fast Neural Machine Translation", Sec. 3.
class Ssru : public torch::nn::Module {
 public:
  explicit Ssru(int64_t size);

  struct Output {
    torch::Tensor outputs;  // [N, T, C]: h
    torch::Tensor cell;     // [N, C]: the last c
  };
  /// x [N, T, C]; `cell` [N, C] is the state before the first step, zeros if undefined.
  [[nodiscard]] Output forward(const torch::Tensor& x, const torch::Tensor& cell) const;

 private:
  /// forward() with fused kernels.
  [[nodiscard]] Output run_fused(const torch::Tensor& x, const torch::Tensor& cell) const;

  std::shared_ptr<Linear> input_;
  std::shared_ptr<Linear> forget_;
};

}  // namespace attend::nn
