#include "model/transformer/attention_sum.h"

#include <utility>
#include <vector>

namespace attend::model {

AttentionSum::AttentionSum(Parts parts, std::shared_ptr<nn::LayerNorm> norm)
    : parts_(std::move(parts)), norm_(std::move(norm)) {
  std::vector<torch::Tensor> sums;
  for (int64_t i = 0; i < parts_.x.size(1); ++i)
    sums.push_back(parts_.x.select(1, i) + added_to(i).sum(1));
  sum_ = at::stack(sums, 1);
  output_ = norm_ ? norm_->forward(sum_) : sum_;
}

torch::Tensor AttentionSum::added_to(int64_t i) const {
  const torch::Tensor vectors = parts_.added(i).transpose(1, 2);  // [N, S, h, C]
  const torch::Tensor weights =
      parts_.weights.select(2, i).to(vectors.dtype()).transpose(1, 2).unsqueeze(2);
  return at::matmul(weights, vectors).squeeze(2);  // [N, S, 1, h] [N, S, h, C]
}

AttentionSum::Terms AttentionSum::terms(int64_t i) const {
  const torch::Tensor residual = parts_.x.select(1, i), positions = added_to(i);
  if (!norm_) return {residual, positions};
  const torch::Tensor sum = sum_.select(1, i);
  return {norm_->share(residual, sum), norm_->share(positions, sum.unsqueeze(1))};
}

torch::Tensor AttentionSum::interactions_of(int64_t i, const torch::Tensor& terms) const {
  const torch::Tensor y = output_.select(1, i).unsqueeze(1);  // [N, 1, C]
  return (y.abs().sum(2) - (y - terms).abs().sum(2)).clamp_min(0);
}

torch::Tensor AttentionSum::interactions() const {
  std::vector<torch::Tensor> rows;
  for (int64_t i = 0; i < output_.size(1); ++i) {
    Terms vectors = terms(i);
    vectors.positions.select(1, i) += vectors.residual;
    rows.push_back(interactions_of(i, vectors.positions));
  }
  return at::stack(rows, 1);
}

torch::Tensor AttentionSum::interactions_apart() const {
  std::vector<torch::Tensor> rows;
  for (int64_t i = 0; i < output_.size(1); ++i) {
    const Terms vectors = terms(i);
    rows.push_back(
        interactions_of(i, at::cat({vectors.residual.unsqueeze(1), vectors.positions}, 1)));
  }
  return at::stack(rows, 1);
}

}  // namespace attend::model
