#pragma once
#include "nn/fused/add_norm.h"
#include "nn/parameters.h"

namespace attend::nn {

/// Layer normalisation (Ba, Kiros & Hinton 2016, arXiv 1607.06450, Eq. 4) over the last dimension:
/// y = gain * (x - mean) / sqrt(variance + 1e-5) + bias.
class LayerNorm : public Block {
 public:
  explicit LayerNorm(int64_t size);

  /// x [..., size] -> the same shape.
  [[nodiscard]] torch::Tensor forward(const torch::Tensor& x) const;
  /// Returns x + drop(part) and its layer normalisation, in one pass if is_fusible(x); `part` and
  /// `mask` as in fused::AddNorm.
  [[nodiscard]] fused::AddedNorm added(const torch::Tensor& x, const torch::Tensor& part,
                                       const DropoutMask& mask) const;
  /// The share of a summand v [..., size] in forward(x), for a sum x [..., size]:
  ///   gain * (v - mean(v)) / sqrt(variance(x) + 1e-5).
  /// forward(x) is the sum of the shares of all summands, and the bias (Kobayashi et al. 2021,
  /// arXiv 2109.07152, Sec. 2). v and x may broadcast.
  [[nodiscard]] torch::Tensor share(const torch::Tensor& v, const torch::Tensor& x) const;
  void initialize(const at::Generator& generator) override;

  [[nodiscard]] const torch::Tensor& gain() const { return gain_; }  // [size]
  [[nodiscard]] const torch::Tensor& bias() const { return bias_; }  // [size]

 private:
  torch::Tensor gain_;
  torch::Tensor bias_;
};

}  // namespace attend::nn
