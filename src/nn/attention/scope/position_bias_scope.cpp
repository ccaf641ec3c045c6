#include "nn/attention/scope/position_bias_scope.h"

namespace attend::nn {
namespace {

torch::Tensor no_bias(int64_t heads, int64_t distances) {
  return heads == 1 ? torch::zeros({distances}) : torch::zeros({heads, distances});
}

}  // namespace

PositionBiasScope::PositionBiasScope(const AttentionOptions& options, ScoreSizes)
    : max_distance_(options.max_distance),
      bias_(register_parameter("bias", no_bias(options.heads, 2 * max_distance_ + 1))) {}

View PositionBiasScope::make_view(const torch::Tensor& query, const Memory& memory,
                                  int64_t position) const {
  const auto options = memory.lengths.options();  // int64
  const torch::Tensor target = torch::arange(position, position + query.size(1), options);
  const torch::Tensor source = torch::arange(memory.mask.size(1), options);
  const torch::Tensor distance =
      (source - target.unsqueeze(1)).clamp(-max_distance_, max_distance_) + max_distance_;
  const torch::Tensor by_head =
      bias_.index_select(-1, distance.flatten()).view({-1, distance.size(0), distance.size(1)});
  const int64_t heads = by_head.size(0);  // heads are rows of each sentence
  const torch::Tensor bias =
      heads == 1 ? by_head : by_head.repeat({query.size(0) / heads, 1, 1});  // [N, T, S]
  return {memory.mask.unsqueeze(1), {}, bias, {}};
}

std::optional<WholeView> PositionBiasScope::whole_view() const {
  return WholeView{false, bias_};
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
