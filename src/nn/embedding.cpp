#include "nn/embedding.h"

#include <cmath>

#include "nn/device/words.h"
#include "nn/execution.h"

namespace attend::nn {

Embedding::Embedding(int64_t vocabulary, int64_t size)
    : weight_(register_parameter("weight", torch::empty({vocabulary, size}))) {}

torch::Tensor Embedding::forward(const torch::Tensor& ids) const {
  // Adds a few rows in place; a dense gradient would first have to be filled with zeros.
  const bool in_place = gradient_in_place(weight_).defined();
  if (in_place && has_device_forms(weight_)) return device::gathered_words(weight_, ids);
  return at::embedding(weight_, ids, /*padding_idx=*/-1, /*scale_grad_by_freq=*/false,
                       /*sparse=*/in_place && !is_on_device(weight_));
}

IndexedRows Embedding::distinct(const torch::Tensor& ids) const {
  const auto [words, index, counts] =
      at::_unique2(ids, /*sorted=*/true, /*return_inverse=*/true, /*return_counts=*/false);
  return {forward(words), index};
}

void Embedding::initialize(const at::Generator& generator) {
  normal(weight_, 1.0 / std::sqrt(static_cast<double>(weight_.size(1))), generator);
}

}  // namespace attend::nn
