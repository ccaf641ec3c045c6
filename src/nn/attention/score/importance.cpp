#include "nn/attention/score/importance.h"

#include "nn/attention/score/pair_energies.h"

namespace attend::nn {

int64_t inner_size(const AttentionOptions& options, ScoreSizes sizes) {
  return options.size > 0 ? options.size : sizes.query;
}

torch::Tensor empty_importance(const AttentionOptions& options, ScoreSizes sizes) {
  const int64_t inner = inner_size(options, sizes);
  return options.per_feature ? torch::empty({sizes.memory, inner}) : torch::empty({inner});
}

torch::Tensor weigh(const torch::Tensor& z, const torch::Tensor& importance) {
  if (importance.dim() == 1) return at::matmul(z, importance);
  return at::linear(z, importance).permute({0, 3, 1, 2});
}

void initialize_importance(const torch::Tensor& importance, const at::Generator& generator) {
  xavier_uniform(importance.dim() == 1 ? importance.unsqueeze(0) : importance, generator);
}

torch::Tensor additive_energies(const torch::Tensor& query, const torch::Tensor& weight,
                                const torch::Tensor& keys, const torch::Tensor& importance) {
  return pair_energies(
      [](const torch::autograd::variable_list& x) {
        return weigh(add_query(x[0], x[1], x[2]).tanh_(), x[3]);
      },
      {query, weight, keys, importance}, keys.size(1), keys.size(2));
}

torch::Tensor add_query(const torch::Tensor& query, const torch::Tensor& weight,
                        const torch::Tensor& keys) {
  return at::linear(query, weight).unsqueeze(2) + keys.unsqueeze(1);
}

}  // namespace attend::nn
