#include "model/transformer/feed_forward.h"

#include "nn/device/linear.h"
#include "nn/dropout.h"
#include "nn/execution.h"
#include "nn/fused/rectify.h"

namespace attend::model {

FeedForward::FeedForward(const LayerOptions& options)
    : activation_(options.activation), dropout_(options.dropout.feed_forward) {
  const auto add = [&](const char* name, int64_t inputs, int64_t outputs) {
    return register_module(name, std::make_shared<nn::Linear>(inputs, outputs));
  };
  inner_ = add("inner", options.size, options.feed_forward);
  const bool is_gated = is_one_of(activation_, {Activation::geglu, Activation::swiglu});
  if (is_gated) gated_ = add("gated", options.size, options.feed_forward);
  outer_ = add("outer", options.feed_forward, options.size);
}

torch::Tensor FeedForward::forward(const torch::Tensor& x) const {
  if (activation_ == Activation::relu && nn::is_fusible(x)) return outer_->forward(rectified(x));
  torch::Tensor inner = activated(wide(*inner_, x));
  if (gated_) inner = inner * wide(*gated_, x);
  return outer_->forward(nn::dropout(inner, dropout_, is_training()));
}

torch::Tensor FeedForward::wide(const nn::Linear& linear, const torch::Tensor& x) {
  if (!nn::has_device_forms(x)) return linear.forward(x);
  return nn::device::linear(x, linear.weight(), linear.bias(), nn::device::ResultType::bf16);
}

torch::Tensor FeedForward::rectified(const torch::Tensor& x) const {
  return nn::fused::rectify(nn::linear(x, inner_->weight()), inner_->bias(),
                            nn::DropoutMask::drawn(dropout_, is_training()));
}

torch::Tensor FeedForward::activated(const torch::Tensor& x) const {
  if (activation_ == Activation::relu) return x.relu();
  return activation_ == Activation::swiglu ? at::silu(x) : at::gelu(x);
}

}  // namespace attend::model
