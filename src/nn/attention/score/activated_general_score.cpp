#include "nn/attention/score/activated_general_score.h"

#include "nn/shape.h"

namespace attend::nn {

ActivatedGeneralScore::ActivatedGeneralScore(const AttentionOptions&, ScoreSizes sizes)
    : weight_(register_parameter("weight", torch::empty({sizes.query, sizes.memory}))),
      bias_(register_parameter("bias", torch::zeros({1}))) {}

torch::Tensor ActivatedGeneralScore::prepare(const Memory& memory) const {
  check_shape(memory.keys, {kAny, kAny, weight_.size(1)}, "ActivatedGeneralScore keys");
  return at::linear(memory.keys, weight_);
}

torch::Tensor ActivatedGeneralScore::energy(const torch::Tensor& query,
                                            const PreparedMemory& memory,
                                            const AttentionState&) const {
  check_shape(query, {memory.keys.size(0), kAny, weight_.size(0)}, "ActivatedGeneralScore query");
  return (at::bmm(query, memory.keys.transpose(1, 2)) + bias_).tanh();
}

void ActivatedGeneralScore::initialize(const at::Generator& generator) {
  xavier_uniform(weight_, generator);
  const torch::NoGradGuard no_grad;
  bias_.zero_();
}

LoopScore ActivatedGeneralScore::unroll(fused::Loop&, const LoopQuery& asked) const {
  return {asked.query, fused::DotEnergy{kernels::ProductForm::tanh, bias_}};
}

}  // namespace attend::nn
