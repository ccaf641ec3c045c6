#include "nn/embedding.h"

#include <cmath>

namespace attend::nn {

Embedding::Embedding(int64_t vocabulary, int64_t size)
    : weight_(register_parameter("weight", torch::empty({vocabulary, size}))) {}

torch::Tensor Embedding::forward(const torch::Tensor& ids) const {
  return at::embedding(weight_, ids);
}

void Embedding::initialize(const at::Generator& generator) {
  normal(weight_, 1.0 / std::sqrt(static_cast<double>(weight_.size(1))), generator);
}

}  // namespace attend::nn
