#include "nn/attention/score/deep_score.h"

#include <fmt/format.h>

#include "nn/attention/score/importance.h"
#include "nn/attention/score/pair_energies.h"
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
  torch::autograd::variable_list inputs{query, query_weight_, memory.keys, vector_};
  for (const Layer& layer : upper_) {
    inputs.push_back(layer.weight);
    inputs.push_back(layer.bias);
  }
  const auto energies = [](const torch::autograd::variable_list& x) {
    torch::Tensor mixed = add_query(x[0], x[1], x[2]).tanh_();  // [N, T, S, A]
    for (std::size_t i = 4; i < x.size(); i += 2) mixed = at::linear(mixed, x[i], x[i + 1]).tanh();
    return weigh(mixed, x[3]);
  };
  // Each upper layer keeps its tanh and the input of the tanh.
  const auto size = memory.keys.size(2) * static_cast<int64_t>(1 + 2 * upper_.size());
  return pair_energies(energies, inputs, memory.keys.size(1), size);
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
