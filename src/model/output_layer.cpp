#include "model/output_layer.h"

#include "nn/execution.h"

namespace attend::model {
namespace {

/// True if the ExecutionScope packs weights without a change of type.
bool packs_floats() {
  const nn::PackedWeights* const packed = nn::execution().packed;
  return packed != nullptr && packed->type() == kernels::WeightType::f32;
}

}  // namespace

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
  return nn::linear(projected(x), matrix(), bias_);
}

OutputRows OutputLayer::rows(const torch::Tensor& ids, nn::OwnColumns own) const {
  OutputRows rows{matrix().index_select(0, ids), bias_.index_select(0, ids), nullptr,
                  std::move(own)};
  if (!packs_floats()) rows.packed = nn::pack_temporary(rows.weight);
  return rows;
}

torch::Tensor OutputLayer::forward(const torch::Tensor& x, const OutputRows& rows) const {
  const torch::Tensor input = projected(x);
  // Without packed weights, the results must be exactly those of the plain operations.
  if (nn::execution().packed == nullptr)
    return rows.own.of(at::linear(input, rows.weight, rows.bias));
  if (rows.packed != nullptr) return rows.own.of(nn::multiply(input, *rows.packed).add_(rows.bias));
  return rows.own.of_product(input, rows.weight, rows.bias);
}

nn::CrossEntropy OutputLayer::loss(const torch::Tensor& x, const torch::Tensor& targets,
                                   const nn::LossOptions& options) const {
  return nn::output_cross_entropy(projected(x), matrix(), bias_, targets, options);
}

torch::Tensor OutputLayer::projected(const torch::Tensor& x) const {
  return projection_ ? projection_->forward(x) : x;
}

const torch::Tensor& OutputLayer::matrix() const {
  return tied_ ? tied_->weight() : weight_;
}

void OutputLayer::initialize(const at::Generator& generator) {
  if (weight_.defined()) nn::xavier_uniform(weight_, generator);
  const torch::NoGradGuard no_grad;
  bias_.zero_();
}

}  // namespace attend::model
