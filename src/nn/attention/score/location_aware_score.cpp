#include "nn/attention/score/location_aware_score.h"

#include "nn/attention/attention.h"
#include "nn/attention/score/importance.h"
#include "nn/shape.h"

namespace attend::nn {

LocationAwareScore::LocationAwareScore(const AttentionOptions& options, ScoreSizes sizes) {
  const int64_t inner = inner_size(options, sizes);
  key_weight_ = register_parameter("key_weight", torch::empty({inner, sizes.memory}));
  query_weight_ = register_parameter("query_weight", torch::empty({inner, sizes.query}));
  filters_ = register_parameter("filters", torch::empty({options.filters, 1, options.width}));
  feature_weight_ = register_parameter("feature_weight", torch::empty({inner, options.filters}));
  bias_ = register_parameter("bias", torch::zeros({inner}));
  vector_ = register_parameter("vector", empty_importance(options, sizes));
}

torch::Tensor LocationAwareScore::prepare(const Memory& memory) const {
  check_shape(memory.keys, {kAny, kAny, key_weight_.size(1)}, "LocationAwareScore keys");
  return at::linear(memory.keys, key_weight_, bias_);
}

torch::Tensor LocationAwareScore::energy(const torch::Tensor& query, const PreparedMemory& memory,
                                         const AttentionState& state) const {
  check_shape(query, {memory.keys.size(0), 1, query_weight_.size(1)}, "LocationAwareScore query");
  const int64_t beyond = filters_.size(2) / 2;
  const torch::Tensor features =
      at::conv1d(state.previous.unsqueeze(1), filters_, {}, /*stride=*/1, beyond)
          .transpose(1, 2);  // [N, S, filters]
  const torch::Tensor keys = memory.keys + at::linear(features, feature_weight_);
  return additive_energies(query, query_weight_, keys, vector_);
}

void LocationAwareScore::initialize(const at::Generator& generator) {
  xavier_uniform(key_weight_, generator);
  xavier_uniform(query_weight_, generator);
  xavier_uniform(filters_.flatten(1), generator);  // a view
  xavier_uniform(feature_weight_, generator);
  initialize_importance(vector_, generator);
  const torch::NoGradGuard no_grad;
  bias_.zero_();
}

LoopScore LocationAwareScore::unroll(fused::Loop& loop, const LoopQuery& asked) const {
  const fused::LoopValue projected = loop.computed(query_weight_.size(0));
  loop.linear(asked.query, query_weight_, projected);
  return {projected, fused::TraceEnergy{vector_, asked.weights.before(), filters_.squeeze(1),
                                        feature_weight_.t()}};
}

}  // namespace attend::nn
