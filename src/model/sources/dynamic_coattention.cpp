#include "model/sources/dynamic_coattention.h"

#include "nn/attention/distribution/masked_softmax.h"

namespace attend::model {
namespace {

/// states [B, S, C] after a sentinel that all rows share: [B, 1 + S, C].
torch::Tensor with_sentinel(const torch::Tensor& sentinel, const torch::Tensor& states) {
  return at::cat({sentinel.expand({states.size(0), 1, -1}), states}, 1);
}

/// mask [B, S] with the sentinel, which is never masked: [B, 1, 1 + S].
torch::Tensor seen_with_sentinel(const torch::Tensor& mask) {
  return at::constant_pad_nd(mask, {1, 0}, true).unsqueeze(1);
}

torch::Tensor without_sentinel(const torch::Tensor& x) {
  return x.slice(1, 1);
}

}  // namespace

DynamicCoattention::DynamicCoattention(const ModelOptions& options, int64_t size)
    : FineCoattention(options, size, 3 * size),
      question_(register_module("question", std::make_shared<nn::Linear>(size, size))),
      first_sentinel_(register_parameter("first_sentinel", torch::empty({size}))),
      second_sentinel_(register_parameter("second_sentinel", torch::empty({size}))) {}

FineCoattention::Compared DynamicCoattention::compare(const EncoderOutput& first,
                                                      const EncoderOutput& second) const {
  const torch::Tensor q = question_->forward(with_sentinel(first_sentinel_, first.outputs)).tanh();
  const torch::Tensor d = with_sentinel(second_sentinel_, second.outputs);
  const torch::Tensor affinity = at::bmm(q, d.transpose(1, 2));  // [B, 1 + T, 1 + N]
  const torch::Tensor at_second = nn::masked_softmax(affinity, seen_with_sentinel(second.mask));
  const torch::Tensor at_first = nn::masked_softmax(
      affinity.transpose(1, 2), seen_with_sentinel(first.mask));  // [B, 1 + N, 1 + T]
  const torch::Tensor first_found = mixed(at_second, d);          // C^Q
  const torch::Tensor second_found = mixed(at_first, q);
  const auto joined = [&](const torch::Tensor& own, const torch::Tensor& weights,
                          const torch::Tensor& other, const torch::Tensor& other_found) {
    return without_sentinel(at::cat({own, mixed(weights, at::cat({other, other_found}, 2))}, 2));
  };
  const auto shown = [](const torch::Tensor& weights) { return weights.slice(1, 1).slice(2, 1); };
  return {joined(q, at_second, d, second_found),
          joined(d, at_first, q, first_found),
          {across(shown(at_second), shown(at_first))}};
}

void DynamicCoattention::initialize(const at::Generator& generator) {
  nn::xavier_uniform(first_sentinel_.unsqueeze(0), generator);
  nn::xavier_uniform(second_sentinel_.unsqueeze(0), generator);
}

}  // namespace attend::model
