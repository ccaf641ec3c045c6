#include "nn/dropout.h"

namespace attend::nn {

torch::Tensor dropout(const torch::Tensor& x, double probability, bool active) {
  return active && probability > 0.0 ? at::dropout(x, probability, /*train=*/true) : x;
}

torch::Tensor dropout_mask(int64_t rows, int64_t size, double probability, bool active,
                           const torch::Tensor& like) {
  if (!active || probability <= 0.0) return {};
  return at::dropout(torch::ones({rows, size}, like.options()), probability, /*train=*/true);
}

}  // namespace attend::nn
