#include "nn/attention/score/scaled_dot_score.h"

#include <algorithm>
#include <cmath>

#include "nn/attention/score/dot_score.h"
#include "nn/shape.h"

namespace attend::nn {
namespace {

/// x * factor. For the few rows of a search step it takes a fraction of LibTorch's product.
torch::Tensor scaled(const torch::Tensor& x, double factor) {
  constexpr int64_t kMost = 8192;
  const bool is_small = x.is_cpu() && x.scalar_type() == torch::kFloat32 && x.numel() <= kMost;
  if (!is_small || torch::GradMode::is_enabled() || !x.is_contiguous()) return x * factor;
  torch::Tensor y = torch::empty(x.sizes(), x.options());
  const float* const from = x.data_ptr<float>();
  std::transform(from, from + x.numel(), y.data_ptr<float>(),
                 [by = static_cast<float>(factor)](float value) { return value * by; });
  return y;
}

}  // namespace

ScaledDotScore::ScaledDotScore(const AttentionOptions& options, ScoreSizes sizes)
    : factor_(1.0 / std::sqrt(static_cast<double>(sizes.memory))) {
  require_equal_sizes(options.score, sizes);
  if (options.learned_scale) scale_ = register_parameter("scale", torch::full({1}, factor_));
}

torch::Tensor ScaledDotScore::prepare(const Memory& memory) const {
  return scale_.defined() ? memory.keys * scale_ : scaled(memory.keys, factor_);
}

torch::Tensor ScaledDotScore::energy(const torch::Tensor& query, const PreparedMemory& memory,
                                     const AttentionState&) const {
  check_shape(query, {memory.keys.size(0), kAny, memory.keys.size(2)}, "ScaledDotScore query");
  return at::bmm(query, memory.keys.transpose(1, 2));
}

void ScaledDotScore::initialize(const at::Generator&) {
  const torch::NoGradGuard no_grad;
  if (scale_.defined()) scale_.fill_(factor_);
}

}  // namespace attend::nn
