#include "nn/rnn/ssru.h"

#include <vector>

#include "nn/execution.h"
#include "nn/fused/linear.h"
#include "nn/fused/ssru.h"

namespace attend::nn {

Ssru::Ssru(int64_t size)
    : input_(register_module("input", std::make_shared<Linear>(size, size, /*bias=*/false))),
      forget_(register_module("forget", std::make_shared<Linear>(size, size))) {}

Ssru::Output Ssru::forward(const torch::Tensor& x, const torch::Tensor& cell) const {
  if (is_fusible(x)) return run_fused(x, cell);
  const torch::Tensor forget = forget_->forward(x).sigmoid();
  const torch::Tensor kept = (1.0 - forget) * input_->forward(x);
  const std::vector<torch::Tensor> forgets = forget.unbind(1), candidates = kept.unbind(1);
  std::vector<torch::Tensor> cells;
  for (std::size_t t = 0; t < candidates.size(); ++t) {
    const torch::Tensor& before = t == 0 ? cell : cells.back();
    cells.push_back(before.defined() ? at::addcmul(candidates[t], forgets[t], before)
                                     : candidates[t]);
  }
  return {at::stack(cells, 1).relu(), cells.back()};
}

Ssru::Output Ssru::run_fused(const torch::Tensor& x, const torch::Tensor& cell) const {
  torch::Tensor candidates, gates;
  if (fused::has_fused_linear(x)) {
    const auto products = fused::linears(x, {input_->weight(), forget_->weight(), {}});
    candidates = products[0];
    gates = products[1];
  } else {
    candidates = input_->forward(x);
    gates = nn::linear(x, forget_->weight());
  }
  fused::SsruResult result = fused::ssru({candidates, gates, forget_->bias(), cell});
  return {std::move(result.outputs), std::move(result.last)};
}

}  // namespace attend::nn
