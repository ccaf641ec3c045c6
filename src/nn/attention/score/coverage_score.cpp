#include "nn/attention/score/coverage_score.h"

#include "nn/attention/attention.h"
#include "nn/attention/score/importance.h"
#include "nn/shape.h"

namespace attend::nn {

CoverageScore::CoverageScore(const AttentionOptions& options, ScoreSizes sizes)
    : largest_fertility_(options.fertility) {
  const int64_t inner = inner_size(options, sizes);
  key_weight_ = register_parameter("key_weight", torch::empty({inner, sizes.memory}));
  query_weight_ = register_parameter("query_weight", torch::empty({inner, sizes.query}));
  coverage_weight_ = register_parameter("coverage_weight", torch::empty({inner}));
  bias_ = register_parameter("bias", torch::zeros({inner}));
  vector_ = register_parameter("vector", empty_importance(options, sizes));
  if (largest_fertility_ == 0.0) return;
  fertility_weight_ = register_parameter("fertility_weight", torch::empty({sizes.memory}));
}

torch::Tensor CoverageScore::prepare(const Memory& memory) const {
  check_shape(memory.keys, {kAny, kAny, key_weight_.size(1)}, "CoverageScore keys");
  const torch::Tensor keys = at::linear(memory.keys, key_weight_, bias_);
  if (!fertility_weight_.defined()) return keys;
  const torch::Tensor share = at::matmul(memory.keys, fertility_weight_).sigmoid();  // [B, S]
  const torch::Tensor fertility = (share * largest_fertility_).clamp_min(kSmallestFertility);
  return at::cat({keys, fertility.reciprocal().unsqueeze(2)}, 2);
}

torch::Tensor CoverageScore::energy(const torch::Tensor& query, const PreparedMemory& memory,
                                    const AttentionState& state) const {
  check_shape(query, {memory.keys.size(0), 1, query_weight_.size(1)}, "CoverageScore query");
  const int64_t inner = key_weight_.size(0);
  torch::Tensor coverage = state.coverage.unsqueeze(2);  // [N, S, 1]
  if (fertility_weight_.defined()) coverage = coverage * memory.keys.slice(2, inner);
  const torch::Tensor keys = memory.keys.slice(2, 0, inner) + coverage * coverage_weight_;
  return additive_energies(query, query_weight_, keys, vector_);
}

void CoverageScore::initialize(const at::Generator& generator) {
  xavier_uniform(key_weight_, generator);
  xavier_uniform(query_weight_, generator);
  xavier_uniform(coverage_weight_.unsqueeze(1), generator);
  initialize_importance(vector_, generator);
  if (fertility_weight_.defined()) xavier_uniform(fertility_weight_.unsqueeze(0), generator);
  const torch::NoGradGuard no_grad;
  bias_.zero_();
}

LoopScore CoverageScore::unroll(fused::Loop& loop, const LoopQuery& asked) const {
  const fused::LoopValue projected = loop.computed(query_weight_.size(0));
  loop.linear(asked.query, query_weight_, projected);
  // Coverage before a step = coverage one step earlier + weights of the previous step, since the
  // weights of a step do not exist yet when its energies are computed.
  const fused::LoopValue covered = loop.state(asked.start.coverage - asked.start.previous);
  loop.sum(covered.before(), asked.weights.before(), covered);
  return {projected, fused::TraceEnergy{vector_, covered, torch::ones({1, 1}, vector_.options()),
                                        coverage_weight_.unsqueeze(0)}};
}

}  // namespace attend::nn
