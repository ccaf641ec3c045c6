#include "nn/attention/scope/global_scope.h"

namespace attend::nn {

GlobalScope::GlobalScope(const AttentionOptions&, ScoreSizes) {}

View GlobalScope::make_view(const torch::Tensor&, const Memory& memory, int64_t) const {
  return {memory.mask.unsqueeze(1), {}, {}, {}};
}

fused::LoopView GlobalScope::unroll(fused::Loop&, fused::LoopValue, int64_t) const {
  return {};
}

}  // namespace attend::nn
