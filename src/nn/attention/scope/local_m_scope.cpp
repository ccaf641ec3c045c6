#include "nn/attention/scope/local_m_scope.h"

#include "nn/attention/scope/window.h"

namespace attend::nn {

LocalMonotonicScope::LocalMonotonicScope(const AttentionOptions& options, ScoreSizes)
    : reach_(options.window) {}

View LocalMonotonicScope::make_view(const torch::Tensor& query, const Memory& memory,
                                    int64_t position) const {
  const torch::Tensor steps =
      torch::arange(position, position + query.size(1), memory.lengths.options());
  const torch::Tensor last = (memory.lengths - 1).clamp_min(0).unsqueeze(1);  // [N, 1]
  const torch::Tensor centres = at::minimum(steps.unsqueeze(0), last);        // [N, T]
  return window_around(centres.to(query.scalar_type()), reach_, memory);
}

fused::LoopView LocalMonotonicScope::unroll(fused::Loop&, fused::LoopValue,
                                            int64_t position) const {
  fused::LoopView view;
  view.reach = reach_;
  view.position = position;
  return view;
}

}  // namespace attend::nn
