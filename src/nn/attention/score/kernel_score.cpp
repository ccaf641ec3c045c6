#include "nn/attention/score/kernel_score.h"

#include "nn/attention/score/importance.h"
#include "nn/shape.h"

namespace attend::nn {
namespace {

constexpr double kSmallestValue = 1e-30;

torch::Tensor phi(const torch::Tensor& x) {
  return at::elu(x) + 1;
}

}  // namespace

KernelScore::KernelScore(const AttentionOptions& options, ScoreSizes sizes) {
  const int64_t inner = inner_size(options, sizes);
  key_weight_ = register_parameter("key_weight", torch::empty({inner, sizes.memory}));
  query_weight_ = register_parameter("query_weight", torch::empty({inner, sizes.query}));
}

torch::Tensor KernelScore::prepare(const Memory& memory) const {
  check_shape(memory.keys, {kAny, kAny, key_weight_.size(1)}, "KernelScore keys");
  return phi(at::linear(memory.keys, key_weight_));
}

torch::Tensor KernelScore::energy(const torch::Tensor& query, const PreparedMemory& memory,
                                  const AttentionState&) const {
  check_shape(query, {memory.keys.size(0), kAny, query_weight_.size(1)}, "KernelScore query");
  const torch::Tensor features = phi(at::linear(query, query_weight_));  // [N, T, A]
  return at::bmm(features, memory.keys.transpose(1, 2)).clamp_min(kSmallestValue).log();
}

void KernelScore::initialize(const at::Generator& generator) {
  xavier_uniform(key_weight_, generator);
  xavier_uniform(query_weight_, generator);
}

LoopScore KernelScore::unroll(fused::Loop& loop, const LoopQuery& asked) const {
  const fused::LoopValue features = loop.computed(query_weight_.size(0));
  loop.linear(asked.query, query_weight_, features);
  loop.positive(features);
  return {features, fused::DotEnergy{kernels::ProductForm::logarithm}};
}

}  // namespace attend::nn
