#include "model/output_layer.h"

namespace attend::model {

OutputLayer::OutputLayer(int64_t size, int64_t vocabulary)
    : weight_(register_parameter("weight", torch::empty({vocabulary, size}))),
      bias_(register_parameter("bias", torch::zeros({vocabulary}))) {}

OutputLayer::OutputLayer(int64_t size, std::shared_ptr<nn::Embedding> embedding)
    : tied_(std::move(embedding)),
      bias_(register_parameter("bias", torch::zeros({tied_->weight().size(0)}))) {
  const int64_t inner = tied_->weight().size(1);
  if (inner == size) return;
  projection_ = register_module("projection", std::make_shared<nn::Linear>(size, inner, false));
}

torch::Tensor OutputLayer::forward(const torch::Tensor& x) const {
  if (!tied_) return at::linear(x, weight_, bias_);
  return at::linear(projection_ ? projection_->forward(x) : x, tied_->weight(), bias_);
}

void OutputLayer::initialize(const at::Generator& generator) {
  if (weight_.defined()) nn::xavier_uniform(weight_, generator);
  const torch::NoGradGuard no_grad;
  bias_.zero_();
}

}  // namespace attend::model
