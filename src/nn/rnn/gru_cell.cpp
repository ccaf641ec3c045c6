#include "nn/rnn/gru_cell.h"

#include "nn/linear.h"

namespace attend::nn {

GruCell::GruCell(int64_t input_size, int64_t hidden_size, bool layer_norm)
    : RnnCell(input_size, hidden_size, /*gates=*/3),
      candidate_bias_(register_parameter("candidate_bias", torch::zeros({hidden_size}))) {
  if (!layer_norm) return;
  input_norm_ = register_module("input_norm", std::make_shared<LayerNorm>(3 * hidden_size));
  recurrent_norm_ = register_module("recurrent_norm", std::make_shared<LayerNorm>(3 * hidden_size));
}

CellState GruCell::step(const torch::Tensor& projected, const CellState& state,
                        const torch::Tensor& recurrent_mask) const {
  const torch::Tensor hidden =
      recurrent_mask.defined() ? state.hidden * recurrent_mask : state.hidden;
  torch::Tensor recurrent = nn::linear(hidden, recurrent_weight_);  // [N, 3H]
  if (recurrent_norm_) recurrent = recurrent_norm_->forward(recurrent);
  const torch::Tensor input = input_norm_ ? input_norm_->forward(projected) : projected;

  const int64_t size = hidden_size();
  const std::vector<torch::Tensor> from_input = input.split_with_sizes({2 * size, size}, 1);
  const std::vector<torch::Tensor> from_hidden = recurrent.split_with_sizes({2 * size, size}, 1);
  const std::vector<torch::Tensor> reset_update =
      (from_input[0] + from_hidden[0]).sigmoid().chunk(2, 1);
  const torch::Tensor candidate =
      at::addcmul(from_input[1], reset_update[0], from_hidden[1] + candidate_bias_).tanh();
  return {at::lerp(candidate, state.hidden, reset_update[1]), {}};
}

void GruCell::unroll(fused::Loop& loop, fused::LoopValue projected, const LoopState& previous,
                     const torch::Tensor& recurrent_mask, const LoopState& next) const {
  const fused::LoopValue hidden =
      recurrent_mask.defined() ? loop.masked(previous.hidden, recurrent_mask) : previous.hidden;
  const fused::LoopValue recurrent = loop.computed(projection_size());
  loop.linear(hidden, recurrent_weight_, recurrent);
  const auto normed = [&loop](fused::LoopValue x, const std::shared_ptr<LayerNorm>& norm) {
    return norm ? loop.normalized(x, norm->gain(), norm->bias()) : x;
  };
  loop.gru(normed(projected, input_norm_), normed(recurrent, recurrent_norm_), candidate_bias_,
           previous.hidden, next.hidden);
}

std::optional<LibraryCell> GruCell::library_form() const {
  if (input_norm_) return {};
  const torch::Tensor others = torch::zeros({2 * hidden_size()}, bias_.options());
  return LibraryCell{LibraryCell::Kind::gru, input_weight_, recurrent_weight_, bias_,
                     at::cat({others, candidate_bias_})};
}

void GruCell::initialize(const at::Generator& generator) {
  RnnCell::initialize(generator);
  const torch::NoGradGuard no_grad;
  candidate_bias_.zero_();
}

}  // namespace attend::nn
