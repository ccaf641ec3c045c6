#include "nn/rnn/min_gru_cell.h"

#include "nn/linear.h"

namespace attend::nn {
namespace {

constexpr int64_t kGates = 2;

}  // namespace

MinGruCell::MinGruCell(int64_t input_size, int64_t hidden_size, bool layer_norm)
    : RnnCell(hidden_size, kGates) {
  const int64_t rows = projection_size();
  input_weight_ = register_parameter("input_weight", torch::empty({rows, input_size}));
  bias_ = register_parameter("bias", torch::zeros({rows}));
  if (layer_norm) norm_ = register_module("input_norm", std::make_shared<LayerNorm>(rows));
}

CellState MinGruCell::step(const torch::Tensor& projected, const CellState& state,
                           const torch::Tensor&) const {
  const std::vector<torch::Tensor> gates =
      (norm_ ? norm_->forward(projected) : projected).chunk(kGates, 1);
  return {at::lerp(state.hidden, gates[1], gates[0].sigmoid()), {}};
}

void MinGruCell::unroll(fused::Loop& loop, fused::LoopValue projected, const LoopState& previous,
                        const torch::Tensor&, const LoopState& next) const {
  const fused::LoopValue gates =
      norm_ ? loop.normalized(projected, norm_->gain(), norm_->bias()) : projected;
  loop.min_gru(gates, previous.hidden, next.hidden);
}

void MinGruCell::initialize(const at::Generator& generator) {
  xavier_uniform(input_weight_, generator, kGates);
  const torch::NoGradGuard no_grad;
  bias_.zero_();
}

}  // namespace attend::nn
