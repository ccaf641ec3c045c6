#include "nn/attention/score/concat_score.h"

#include "nn/attention/score/importance.h"
#include "nn/shape.h"

namespace attend::nn {

ConcatScore::ConcatScore(const AttentionOptions& options, ScoreSizes sizes)
    : query_size_(sizes.query) {
  const int64_t inner = inner_size(options, sizes);
  weight_ = register_parameter("weight", torch::empty({inner, sizes.query + sizes.memory}));
  bias_ = register_parameter("bias", torch::zeros({inner}));
  vector_ = register_parameter("vector", empty_importance(options, sizes));
}

torch::Tensor ConcatScore::prepare(const Memory& memory) const {
  check_shape(memory.keys, {kAny, kAny, weight_.size(1) - query_size_}, "ConcatScore keys");
  return at::linear(memory.keys, weight_.slice(1, query_size_), bias_);
}

torch::Tensor ConcatScore::energy(const torch::Tensor& query, const PreparedMemory& memory,
                                  const AttentionState&) const {
  check_shape(query, {memory.keys.size(0), kAny, query_size_}, "ConcatScore query");
  return additive_energies(query, weight_.slice(1, 0, query_size_), memory.keys, vector_);
}

void ConcatScore::initialize(const at::Generator& generator) {
  xavier_uniform(weight_, generator);
  initialize_importance(vector_, generator);
  const torch::NoGradGuard no_grad;
  bias_.zero_();
}

LoopScore ConcatScore::unroll(fused::Loop& loop, const LoopQuery& asked) const {
  const fused::LoopValue projected = loop.computed(weight_.size(0));
  loop.linear(asked.query, weight_.slice(1, 0, query_size_), projected);
  return {projected, fused::TanhEnergy{vector_}};
}

}  // namespace attend::nn
