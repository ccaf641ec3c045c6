#include "nn/attention/importance.h"

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

void initialize_importance(torch::Tensor importance, const at::Generator& generator) {
  xavier_uniform(importance.dim() == 1 ? importance.unsqueeze(0) : importance, generator);
}

torch::Tensor add_query(const torch::Tensor& query, const torch::Tensor& weight,
                        const torch::Tensor& keys) {
  return at::linear(query, weight).unsqueeze(2) + keys.unsqueeze(1);
}

}  // namespace attend::nn
