#include "model/sources/guided_pooling.h"

namespace attend::model {

GuidedPooling::GuidedPooling(int64_t size, int64_t inner_size, bool guided) {
  const auto add = [&](const char* name, int64_t inputs, int64_t outputs) {
    return register_module(name, std::make_shared<nn::Linear>(inputs, outputs, /*bias=*/false));
  };
  state_ = add("state", size, inner_size);
  if (guided) guide_ = add("guide", size, inner_size);
  energy_ = add("energy", inner_size, 1);
}

torch::Tensor GuidedPooling::energies(const torch::Tensor& states,
                                      const torch::Tensor& guide) const {
  torch::Tensor inner = state_->forward(states);
  if (guide_) inner = inner + guide_->forward(guide).unsqueeze(1);
  return energy_->forward(inner.tanh()).squeeze(2);
}

}  // namespace attend::model
