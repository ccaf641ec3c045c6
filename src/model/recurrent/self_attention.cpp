#include "model/recurrent/self_attention.h"

#include "nn/dropout.h"

namespace attend::model {
namespace {

nn::AttentionOptions attention_options(const RecurrentEncoderOptions& options) {
  nn::AttentionOptions attention;
  attention.score = options.self_attention == TopAttention::additive ? nn::ScoreKind::additive
                                                                     : nn::ScoreKind::scaled_dot;
  attention.heads = options.self_attention_heads;
  return attention;
}

}  // namespace

SelfAttention::SelfAttention(const RecurrentEncoderOptions& options, const DropoutOptions& dropout,
                             int64_t size)
    : dropout_(dropout),
      attention_(register_module(
          "attention", std::make_shared<nn::Attention>(attention_options(options), size, size))),
      norm_(register_module("norm", std::make_shared<nn::LayerNorm>(size))) {}

SelfAttention::Output SelfAttention::forward(const torch::Tensor& states,
                                             const torch::Tensor& lengths,
                                             const torch::Tensor& mask) const {
  const nn::PreparedMemory memory = attention_->prepare({states, states, mask, lengths});
  const nn::Attended attended = attention_->attend(states, memory, {}, 0, dropout_.attention);
  const torch::Tensor added = nn::dropout(attended.context, dropout_.layer, is_training());
  return {norm_->forward(states + added) * mask.unsqueeze(2),
          attended.heads.defined() ? attended.heads : attended.weights.unsqueeze(1)};
}

}  // namespace attend::model
