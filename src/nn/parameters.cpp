#include "nn/parameters.h"

#include <cmath>

namespace attend::nn {

void xavier_uniform(const torch::Tensor& weight, const at::Generator& generator, int64_t gates) {
  const torch::NoGradGuard no_grad;
  const auto fan_out = static_cast<double>(weight.size(0)) / static_cast<double>(gates);
  const auto fan_in = static_cast<double>(weight.size(1));
  const double bound = std::sqrt(6.0 / (fan_in + fan_out));
  weight.uniform_(-bound, bound, generator);
}

void orthogonal(const torch::Tensor& weight, const at::Generator& generator, int64_t gates) {
  const torch::NoGradGuard no_grad;
  for (const torch::Tensor& block : weight.chunk(gates, 0)) {
    const torch::Tensor sample = torch::empty_like(block).normal_(0.0, 1.0, generator);
    const auto [q, r] = at::linalg_qr(sample);
    block.copy_(q *
                r.diagonal().sign());  // makes the distribution uniform over orthogonal matrices
  }
}

void normal(const torch::Tensor& weight, double deviation, const at::Generator& generator) {
  const torch::NoGradGuard no_grad;
  weight.normal_(0.0, deviation, generator);
}

}  // namespace attend::nn
