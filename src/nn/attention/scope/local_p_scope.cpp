#include "nn/attention/scope/local_p_scope.h"

#include "nn/attention/scope/window.h"
#include "nn/attention/score/importance.h"

namespace attend::nn {

LocalPredictiveScope::LocalPredictiveScope(const AttentionOptions& options, ScoreSizes sizes)
    : reach_(options.window) {
  const int64_t inner = inner_size(options, sizes);
  weight_ = register_parameter("weight", torch::empty({inner, sizes.query}));
  vector_ = register_parameter("vector", torch::empty({inner}));
}

View LocalPredictiveScope::make_view(const torch::Tensor& query, const Memory& memory,
                                     int64_t) const {
  const torch::Tensor share =
      at::matmul(at::linear(query, weight_).tanh_(), vector_).sigmoid();  // [N, T]
  const torch::Tensor centres = share * memory.lengths.unsqueeze(1);
  View view = window_around(centres, reach_, memory);
  const torch::Tensor distance = column_positions(view, centres) - centres.unsqueeze(2);
  const double deviation = static_cast<double>(reach_) / 2;
  view.factor = (distance.square() * (-0.5 / (deviation * deviation))).exp();
  return view;
}

void LocalPredictiveScope::initialize(const at::Generator& generator) {
  xavier_uniform(weight_, generator);
  xavier_uniform(vector_.unsqueeze(0), generator);
}

fused::LoopView LocalPredictiveScope::unroll(fused::Loop& loop, fused::LoopValue query,
                                             int64_t) const {
  const fused::LoopValue hidden = loop.computed(weight_.size(0)), place = loop.computed(1);
  loop.linear(query, weight_, hidden);
  loop.tanh(hidden);
  loop.linear(hidden, vector_.unsqueeze(0), place);
  fused::LoopView view;
  view.reach = reach_;
  view.place = place;
  return view;
}

}  // namespace attend::nn
