#include "nn/attention/score/cosine_score.h"

#include <cmath>

#include "nn/shape.h"

namespace attend::nn {
namespace {

constexpr double kSmallestNorm = 1e-8;
constexpr double kFirstBeta = 10.0;

torch::Tensor unit_length(const torch::Tensor& x) {
  return x / x.norm(2, -1, /*keepdim=*/true).clamp_min(kSmallestNorm);
}

}  // namespace

CosineScore::CosineScore(const AttentionOptions&, ScoreSizes sizes)
    : weight_(register_parameter("weight", torch::empty({sizes.memory, sizes.query}))),
      sharpness_(register_parameter("sharpness", torch::zeros({1}))) {}

torch::Tensor CosineScore::prepare(const Memory& memory) const {
  check_shape(memory.keys, {kAny, kAny, weight_.size(0)}, "CosineScore keys");
  return unit_length(memory.keys);
}

torch::Tensor CosineScore::energy(const torch::Tensor& query, const PreparedMemory& memory,
                                  const AttentionState&) const {
  check_shape(query, {memory.keys.size(0), kAny, weight_.size(1)}, "CosineScore query");
  const torch::Tensor scaled = unit_length(at::linear(query, weight_)) * at::softplus(sharpness_);
  return at::bmm(scaled, memory.keys.transpose(1, 2));
}

void CosineScore::initialize(const at::Generator& generator) {
  xavier_uniform(weight_, generator);
  const torch::NoGradGuard no_grad;
  sharpness_.fill_(std::log(std::expm1(kFirstBeta)));
}

LoopScore CosineScore::unroll(fused::Loop& loop, const LoopQuery& asked) const {
  const fused::LoopValue projected = loop.computed(weight_.size(0));
  loop.linear(asked.query, weight_, projected);
  return {loop.scaled_direction(projected, at::softplus(sharpness_)), fused::DotEnergy{}};
}

}  // namespace attend::nn
