#include "nn/attention/score/biased_general_score.h"

#include "nn/shape.h"

namespace attend::nn {

BiasedGeneralScore::BiasedGeneralScore(const AttentionOptions&, ScoreSizes sizes)
    : weight_(register_parameter("weight", torch::empty({sizes.memory, sizes.query}))),
      bias_(register_parameter("bias", torch::zeros({sizes.memory}))) {}

torch::Tensor BiasedGeneralScore::prepare(const Memory& memory) const {
  check_shape(memory.keys, {kAny, kAny, weight_.size(0)}, "BiasedGeneralScore keys");
  return memory.keys;
}

torch::Tensor BiasedGeneralScore::energy(const torch::Tensor& query, const PreparedMemory& memory,
                                         const AttentionState&) const {
  check_shape(query, {memory.keys.size(0), kAny, weight_.size(1)}, "BiasedGeneralScore query");
  return at::bmm(at::linear(query, weight_, bias_), memory.keys.transpose(1, 2));
}

void BiasedGeneralScore::initialize(const at::Generator& generator) {
  xavier_uniform(weight_, generator);
  const torch::NoGradGuard no_grad;
  bias_.zero_();
}

LoopScore BiasedGeneralScore::unroll(fused::Loop& loop, const LoopQuery& asked) const {
  const fused::LoopValue projected = loop.broadcast(bias_);
  loop.add_linear(asked.query, weight_, projected);
  return {projected, fused::DotEnergy{}};
}

}  // namespace attend::nn
