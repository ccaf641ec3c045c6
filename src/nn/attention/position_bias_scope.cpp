#include "nn/attention/position_bias_scope.h"

namespace attend::nn {

PositionBiasScope::PositionBiasScope(const AttentionOptions& options, ScoreSizes)
    : max_distance_(options.max_distance),
      bias_(register_parameter("bias", torch::zeros({2 * max_distance_ + 1}))) {}

View PositionBiasScope::look(const torch::Tensor& query, const Memory& memory,
                             int64_t position) const {
  const auto options = memory.lengths.options();  // int64
  const torch::Tensor target = torch::arange(position, position + query.size(1), options);
  const torch::Tensor source = torch::arange(memory.mask.size(1), options);
  const torch::Tensor distance =
      (source - target.unsqueeze(1)).clamp(-max_distance_, max_distance_) + max_distance_;
  const torch::Tensor bias = bias_.index_select(0, distance.flatten()).view_as(distance);
  return {memory.mask.unsqueeze(1), {}, bias.unsqueeze(0), {}};
}

void PositionBiasScope::initialize(const at::Generator&) {
  const torch::NoGradGuard no_grad;
  bias_.zero_();
}

fused::LoopView PositionBiasScope::unroll(fused::Loop&, fused::LoopValue, int64_t position) const {
  fused::LoopView view;
  view.position = position;
  view.bias = bias_;
  return view;
}

}  // namespace attend::nn
