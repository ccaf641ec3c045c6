#include "nn/attention/score/convolution_score.h"

#include "nn/attention/score/importance.h"
#include "nn/shape.h"

namespace attend::nn {

ConvolutionScore::ConvolutionScore(const AttentionOptions& options, ScoreSizes sizes) {
  const int64_t inner = inner_size(options, sizes);
  key_weight_ =
      register_parameter("key_weight", torch::empty({inner, sizes.memory, options.width}));
  query_weight_ = register_parameter("query_weight", torch::empty({inner, sizes.query}));
  bias_ = register_parameter("bias", torch::zeros({inner}));
  vector_ = register_parameter("vector", empty_importance(options, sizes));
}

torch::Tensor ConvolutionScore::prepare(const Memory& memory) const {
  check_shape(memory.keys, {kAny, kAny, key_weight_.size(1)}, "ConvolutionScore keys");
  // Values on padding must not reach the last real positions.
  const torch::Tensor keys = memory.keys.masked_fill(memory.mask.logical_not().unsqueeze(2), 0.0);
  const int64_t beyond = key_weight_.size(2) / 2;
  return at::conv1d(keys.transpose(1, 2), key_weight_, bias_, /*stride=*/1, beyond).transpose(1, 2);
}

torch::Tensor ConvolutionScore::energy(const torch::Tensor& query, const PreparedMemory& memory,
                                       const AttentionState&) const {
  check_shape(query, {memory.keys.size(0), kAny, query_weight_.size(1)}, "ConvolutionScore query");
  return additive_energies(query, query_weight_, memory.keys, vector_);
}

void ConvolutionScore::initialize(const at::Generator& generator) {
  xavier_uniform(key_weight_.flatten(1), generator);  // a view: the filter as one matrix
  xavier_uniform(query_weight_, generator);
  initialize_importance(vector_, generator);
  const torch::NoGradGuard no_grad;
  bias_.zero_();
}

LoopScore ConvolutionScore::unroll(fused::Loop& loop, const LoopQuery& asked) const {
  const fused::LoopValue projected = loop.computed(query_weight_.size(0));
  loop.linear(asked.query, query_weight_, projected);
  return {projected, fused::TanhEnergy{vector_}};
}

}  // namespace attend::nn
