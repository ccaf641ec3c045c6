#include "nn/rnn/cell.h"

#include "nn/linear.h"

namespace attend::nn {

CellState CellState::select(const torch::Tensor& rows) const {
  const auto chosen = [&rows](const torch::Tensor& x) {
    return x.defined() ? x.index_select(0, rows) : x;
  };
  return {chosen(hidden), chosen(cell)};
}

RnnCell::RnnCell(int64_t input_size, int64_t hidden_size, int64_t gates)
    : input_weight_(
          register_parameter("input_weight", torch::empty({gates * hidden_size, input_size}))),
      recurrent_weight_(
          register_parameter("recurrent_weight", torch::empty({gates * hidden_size, hidden_size}))),
      bias_(register_parameter("bias", torch::zeros({gates * hidden_size}))),
      hidden_size_(hidden_size),
      gates_(gates) {}

RnnCell::RnnCell(int64_t hidden_size, int64_t gates) : hidden_size_(hidden_size), gates_(gates) {}

CellState RnnCell::start(int64_t rows, const torch::Tensor& like) const {
  const torch::Tensor zeros = torch::zeros({rows, hidden_size()}, like.options());
  return {zeros, has_cell() ? zeros : torch::Tensor()};
}

torch::Tensor RnnCell::project(const torch::Tensor& x) const {
  return linear(x, input_weight_, bias_);
}

fused::LoopValue RnnCell::project(fused::Loop& loop, const IndexedRows& x) const {
  return loop.projected(x, input_weight_, bias_);
}

fused::LoopValue RnnCell::project(fused::Loop& loop, fused::LoopValue x) const {
  const fused::LoopValue projected = loop.broadcast(bias_);
  loop.add_linear(x, input_weight_, projected);
  return projected;
}

LoopState RnnCell::loop_state(fused::Loop& loop) const {
  return {loop.computed(hidden_size_),
          has_cell() ? loop.computed(hidden_size_) : fused::LoopValue{}};
}

LoopState RnnCell::loop_state(fused::Loop& loop, const CellState& start) const {
  LoopState state{loop.state(start.hidden), {}};
  if (has_cell()) state.cell = loop.state(start.cell);
  return state;
}

void RnnCell::initialize(const at::Generator& generator) {
  xavier_uniform(input_weight_, generator, gates_);
  orthogonal(recurrent_weight_, generator, gates_);
  const torch::NoGradGuard no_grad;
  bias_.zero_();
}

}  // namespace attend::nn
