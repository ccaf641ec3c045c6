#include "nn/device/rounded_weights.h"

#include <torch/utils.h>

namespace attend::nn {
namespace {

const void* storage_of(const torch::Tensor& x) {
  return x.storage().unsafeGetStorageImpl();
}

}  // namespace

RoundedWeights::RoundedWeights(const std::vector<torch::Tensor>& memories) {
  for (const torch::Tensor& memory : memories) {
    const torch::Tensor values = memory.detach().flatten();
    copies_[storage_of(values)] = {values, torch::empty_like(values, torch::kBFloat16)};
  }
  refresh();
}

void RoundedWeights::refresh() {
  const torch::NoGradGuard no_grad;
  for (auto& [storage, copy] : copies_) copy.rounded.copy_(copy.values);
}

torch::Tensor RoundedWeights::of(const torch::Tensor& weight) const {
  const auto found = copies_.find(storage_of(weight));
  if (found == copies_.end()) return weight.detach().to(torch::kBFloat16);
  const Copy& copy = found->second;
  return copy.rounded.as_strided(weight.sizes(), weight.strides(),
                                 weight.storage_offset() - copy.values.storage_offset());
}

}  // namespace attend::nn
