#include "nn/rnn/lstm_cell.h"

#include "nn/linear.h"

namespace attend::nn {

LstmCell::LstmCell(int64_t input_size, int64_t hidden_size, bool layer_norm)
    : RnnCell(input_size, hidden_size, /*gates=*/4) {
  if (!layer_norm) return;
  input_norm_ = register_module("input_norm", std::make_shared<LayerNorm>(4 * hidden_size));
  recurrent_norm_ = register_module("recurrent_norm", std::make_shared<LayerNorm>(4 * hidden_size));
  cell_norm_ = register_module("cell_norm", std::make_shared<LayerNorm>(hidden_size));
}

torch::Tensor LstmCell::gates(const torch::Tensor& projected, const torch::Tensor& hidden) const {
  if (!input_norm_) return linear_added(projected, hidden, recurrent_weight_);
  return input_norm_->forward(projected) +
         recurrent_norm_->forward(nn::linear(hidden, recurrent_weight_));
}

CellState LstmCell::step(const torch::Tensor& projected, const CellState& state,
                         const torch::Tensor& recurrent_mask) const {
  const torch::Tensor hidden =
      recurrent_mask.defined() ? state.hidden * recurrent_mask : state.hidden;
  const int64_t size = hidden_size();
  const std::vector<torch::Tensor> parts =
      gates(projected, hidden).split_with_sizes({2 * size, size, size}, 1);  // [i f], g, o
  const std::vector<torch::Tensor> input_forget = parts[0].sigmoid().chunk(2, 1);
  const torch::Tensor cell =
      at::addcmul(input_forget[1] * state.cell, input_forget[0], parts[1].tanh());  // [N, H]
  const torch::Tensor squashed = (cell_norm_ ? cell_norm_->forward(cell) : cell).tanh();
  return {parts[2].sigmoid() * squashed, cell};
}

void LstmCell::unroll(fused::Loop& loop, fused::LoopValue projected, const LoopState& previous,
                      const torch::Tensor& recurrent_mask, const LoopState& next) const {
  const fused::LoopValue hidden =
      recurrent_mask.defined() ? loop.masked(previous.hidden, recurrent_mask) : previous.hidden;
  if (!input_norm_) {
    loop.add_linear(hidden, recurrent_weight_, projected);
    return loop.lstm(projected, previous.cell, next.cell, next.hidden);
  }
  const fused::LoopValue gates =
      loop.normalized(projected, input_norm_->gain(), input_norm_->bias());
  const fused::LoopValue recurrent = loop.computed(projection_size());
  loop.linear(hidden, recurrent_weight_, recurrent);
  loop.add_normalized(recurrent, recurrent_norm_->gain(), recurrent_norm_->bias(), gates);
  loop.normed_lstm(gates, previous.cell, next.cell, cell_norm_->gain(), cell_norm_->bias(),
                   next.hidden);
}

std::optional<LibraryCell> LstmCell::library_form() const {
  if (input_norm_) return {};
  return LibraryCell{LibraryCell::Kind::lstm, input_weight_, recurrent_weight_, bias_,
                     torch::zeros_like(bias_)};
}

void LstmCell::initialize(const at::Generator& generator) {
  RnnCell::initialize(generator);
  const torch::NoGradGuard no_grad;
  bias_.slice(0, hidden_size(), 2 * hidden_size()).fill_(1.0);
}

}  // namespace attend::nn
