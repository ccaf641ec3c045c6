#pragma once
#include <utility>

#include "nn/parameters.h"

namespace attend::nn {

/// x [..., in] -> x W^T + b [..., out], with weight [out, in] and bias [out] (undefined: none).
/// Uses bf16 if uses_bf16(x), and the packed form of the weight if there is one (packed_weights.h).
/// On a GPU see device/linear.h.
[[nodiscard]] torch::Tensor linear(const torch::Tensor& x, const torch::Tensor& weight,
                                   const torch::Tensor& bias = {});

/// sum [N, out] + x W^T for x [N, in], in one operation.
[[nodiscard]] torch::Tensor linear_added(const torch::Tensor& sum, const torch::Tensor& x,
                                         const torch::Tensor& weight);

/// y = x W^T + b.
class Linear : public Block {
 public:
  Linear(int64_t inputs, int64_t outputs, bool bias = true);

  /// x [..., inputs] -> [..., outputs].
  [[nodiscard]] torch::Tensor forward(const torch::Tensor& x) const;
  /// sum [N, outputs] + x W^T for x [N, inputs], in one operation. Requires: no bias.
  [[nodiscard]] torch::Tensor added_to(const torch::Tensor& sum, const torch::Tensor& x) const;
  void initialize(const at::Generator& generator) override;
  /// Makes initialize() multiply the weight by `gain`.
  void set_gain(double gain) { gain_ = gain; }
  /// Makes initialize() set this bias [outputs] instead of zeros. Requires: there is a bias.
  void set_first_bias(torch::Tensor bias) { first_bias_ = std::move(bias); }

  [[nodiscard]] const torch::Tensor& weight() const { return weight_; }  // [outputs, inputs]
  [[nodiscard]] const torch::Tensor& bias() const { return bias_; }      // [outputs], or undefined

 private:
  double gain_ = 1.0;
  torch::Tensor first_bias_;
  torch::Tensor weight_;
  torch::Tensor bias_;
};

}  // namespace attend::nn
