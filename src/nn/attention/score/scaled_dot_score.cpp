#include "nn/attention/score/scaled_dot_score.h"

#include <cmath>

#include "nn/attention/score/dot_score.h"
#include "nn/shape.h"

namespace attend::nn {

ScaledDotScore::ScaledDotScore(const AttentionOptions& options, ScoreSizes sizes)
    : factor_(1.0 / std::sqrt(static_cast<double>(sizes.memory))) {
  require_equal_sizes(options.score, sizes);
  if (options.learned_scale) scale_ = register_parameter("scale", torch::full({1}, factor_));
}

torch::Tensor ScaledDotScore::prepare(const Memory& memory) const {
  return scale_.defined() ? memory.keys * scale_ : memory.keys * factor_;
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
