#include "nn/attention/additive_score.h"

#include "nn/shape.h"

namespace attend::nn {

AdditiveScore::AdditiveScore(const AttentionOptions& options, ScoreSizes sizes) {
  const int64_t inner = options.size > 0 ? options.size : sizes.query;
  key_weight_ = register_parameter("key_weight", torch::empty({inner, sizes.memory}));
  query_weight_ = register_parameter("query_weight", torch::empty({inner, sizes.query}));
  bias_ = register_parameter("bias", torch::zeros({inner}));
  vector_ = register_parameter("vector", torch::empty({inner}));
  if (options.normalized) scale_ = register_parameter("scale", torch::ones({1}));
}

torch::Tensor AdditiveScore::prepare(const Memory& memory) const {
  check_shape(memory.keys, {kAny, kAny, key_weight_.size(1)}, "AdditiveScore keys");
  return at::linear(memory.keys, key_weight_, bias_);
}

torch::Tensor AdditiveScore::energy(const torch::Tensor& query, const PreparedMemory& memory,
                                    const AttentionState&) const {
  check_shape(query, {memory.keys.size(0), kAny, query_weight_.size(1)}, "AdditiveScore query");
  const torch::Tensor projected = at::linear(query, query_weight_).unsqueeze(2);  // [N, T, 1, A]
  const torch::Tensor mixed = (projected + memory.keys.unsqueeze(1)).tanh_();     // [N, T, S, A]
  if (!scale_.defined()) return at::matmul(mixed, vector_);
  return at::matmul(mixed, vector_ * (scale_ / vector_.norm()));
}

void AdditiveScore::initialize(const at::Generator& generator) {
  xavier_uniform(key_weight_, generator);
  xavier_uniform(query_weight_, generator);
  xavier_uniform(vector_.unsqueeze(0), generator);
  const torch::NoGradGuard no_grad;
  bias_.zero_();
  // Starts where the plain form would: g = ||w||.
  if (scale_.defined()) scale_.copy_(vector_.norm().unsqueeze(0));
}

}  // namespace attend::nn
