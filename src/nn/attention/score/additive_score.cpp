#include "nn/attention/score/additive_score.h"

#include "nn/attention/score/importance.h"
#include "nn/linear.h"
#include "nn/shape.h"

namespace attend::nn {

AdditiveScore::AdditiveScore(const AttentionOptions& options, ScoreSizes sizes) {
  const int64_t inner = inner_size(options, sizes);
  key_weight_ = register_parameter("key_weight", torch::empty({inner, sizes.memory}));
  query_weight_ = register_parameter("query_weight", torch::empty({inner, sizes.query}));
  bias_ = register_parameter("bias", torch::zeros({inner}));
  vector_ = register_parameter("vector", empty_importance(options, sizes));
  if (!options.normalized) return;
  scale_ = register_parameter(
      "scale", options.per_feature ? torch::ones({sizes.memory, 1}) : torch::ones({1}));
}

torch::Tensor AdditiveScore::prepare(const Memory& memory) const {
  check_shape(memory.keys, {kAny, kAny, key_weight_.size(1)}, "AdditiveScore keys");
  return linear(memory.keys, key_weight_, bias_);
}

torch::Tensor AdditiveScore::energy(const torch::Tensor& query, const PreparedMemory& memory,
                                    const AttentionState&) const {
  check_shape(query, {memory.keys.size(0), kAny, query_weight_.size(1)}, "AdditiveScore query");
  return additive_energies(query, query_weight_, memory.keys, importance());
}

torch::Tensor AdditiveScore::importance() const {
  if (!scale_.defined()) return vector_;
  return vector_ * (scale_ / vector_.norm(2, -1, /*keepdim=*/true));
}

const FusedScore* AdditiveScore::fused() const {
  return vector_.dim() == 1 ? this : nullptr;
}

LoopScore AdditiveScore::unroll(fused::Loop& loop, const LoopQuery& asked) const {
  const fused::LoopValue projected = loop.computed(query_weight_.size(0));
  loop.linear(asked.query, query_weight_, projected);
  return {projected, fused::TanhEnergy{importance()}};
}

void AdditiveScore::initialize(const at::Generator& generator) {
  xavier_uniform(key_weight_, generator);
  xavier_uniform(query_weight_, generator);
  initialize_importance(vector_, generator);
  const torch::NoGradGuard no_grad;
  bias_.zero_();
  // With g = ||w||, the score starts equal to the one without weight normalisation.
  if (scale_.defined()) scale_.copy_(vector_.norm(2, -1, /*keepdim=*/true));
}

}  // namespace attend::nn
