#include "nn/attention/deep_score.h"

#include <fmt/format.h>

#include "nn/attention/importance.h"
#include "nn/shape.h"

namespace attend::nn {

DeepScore::DeepScore(const AttentionOptions& options, ScoreSizes sizes) {
  const int64_t inner = inner_size(options, sizes);
  key_weight_ = register_parameter("key_weight", torch::empty({inner, sizes.memory}));
  query_weight_ = register_parameter("query_weight", torch::empty({inner, sizes.query}));
  bias_ = register_parameter("bias", torch::zeros({inner}));
  for (int64_t l = 2; l <= options.layers; ++l) {
    upper_.push_back({register_parameter(fmt::format("weight{}", l), torch::empty({inner, inner})),
                      register_parameter(fmt::format("bias{}", l), torch::zeros({inner}))});
  }
  vector_ = register_parameter("vector", empty_importance(options, sizes));
}

torch::Tensor DeepScore::prepare(const Memory& memory) const {
  check_shape(memory.keys, {kAny, kAny, key_weight_.size(1)}, "DeepScore keys");
  return at::linear(memory.keys, key_weight_, bias_);
}

torch::Tensor DeepScore::energy(const torch::Tensor& query, const PreparedMemory& memory,
                                const AttentionState&) const {
  check_shape(query, {memory.keys.size(0), kAny, query_weight_.size(1)}, "DeepScore query");
  torch::Tensor mixed = add_query(query, query_weight_, memory.keys).tanh_();  // [N, T, S, A]
  for (const Layer& layer : upper_) mixed = at::linear(mixed, layer.weight, layer.bias).tanh();
  return weigh(mixed, vector_);
}

void DeepScore::initialize(const at::Generator& generator) {
  xavier_uniform(key_weight_, generator);
  xavier_uniform(query_weight_, generator);
  const torch::NoGradGuard no_grad;
  bias_.zero_();
  for (Layer& layer : upper_) {
    xavier_uniform(layer.weight, generator);
    layer.bias.zero_();
  }
  initialize_importance(vector_, generator);
}

}  // namespace attend::nn
