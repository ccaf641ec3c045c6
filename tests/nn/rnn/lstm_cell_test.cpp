#include "nn/rnn/lstm_cell.h"

#include <ATen/CPUGeneratorImpl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/utils.h>

#include <cmath>

#include "nn/rnn/sequence.h"
#include "tests/support/tensors.h"

namespace attend::nn {
namespace {

using test::f64;
using test::parameter;
using test::random_f64;
using test::TensorEq;
using test::TensorNear;

constexpr int64_t kN = 2, kT = 5, kI = 3, kH = 4;

// All weights zero, so the gates are their biases. sigma(ln 3) = 3/4, sigma(-ln 3) = 1/4,
// tanh(ln(3) / 2) = (3 - 1) / (3 + 1) = 1/2. Unit 1: i = 1/2, f = 3/4, g = 1/2, o = 1/4 and c = 2
// give c' = 3/2 + 1/4, h' = tanh(7/4) / 4. Unit 2: i = 3/4, f = 1/4, g = -1/2, o = 1/2 and c = 4
// give c' = 1 - 3/8, h' = tanh(5/8) / 2.
TEST(LstmCell, GivesTheStepOfTheFormulaByHand) {
  LstmCell cell(3, 2, /*layer_norm=*/false);
  cell.to(torch::kFloat64);
  const double a = std::log(3.0);
  test::set_parameter(cell, "input_weight", torch::zeros({8, 3}, torch::kFloat64));
  test::set_parameter(cell, "recurrent_weight", torch::zeros({8, 2}, torch::kFloat64));
  test::set_parameter(cell, "bias", f64({0, a, a, -a, a / 2, -a / 2, -a, 0}, {8}));
  const CellState next = cell.step(cell.project(random_f64({1, 3}, 1)),
                                   {random_f64({1, 2}, 2), f64({2, 4}, {1, 2})}, {});
  EXPECT_THAT(next.cell, TensorNear(f64({1.75, 0.625}, {1, 2}), 1e-12));
  EXPECT_THAT(next.hidden,
              TensorNear(f64({std::tanh(1.75) / 4, std::tanh(0.625) / 2}, {1, 2}), 1e-12));
}

TEST(LstmCell, EqualsTorchLstmOverASequence) {
  LstmCell cell(kI, kH, /*layer_norm=*/false);
  test::randomize(cell, 3);
  const auto x = random_f64({kN, kT, kI}, 4);
  const CellState start{random_f64({kN, kH}, 5), random_f64({kN, kH}, 6)};
  const std::vector<torch::Tensor> weights{
      parameter(cell, "input_weight"), parameter(cell, "recurrent_weight"), parameter(cell, "bias"),
      torch::zeros({4 * kH}, torch::kFloat64)};
  const auto [outputs, hidden, memory] =
      at::lstm(x, {start.hidden.unsqueeze(0), start.cell.unsqueeze(0)}, weights,
               /*has_biases=*/true, /*num_layers=*/1, /*dropout=*/0.0, /*train=*/false,
               /*bidirectional=*/false, /*batch_first=*/true);
  const SequenceOutput ours =
      run_directions({{cell, start, {}}}, x, torch::full({kN}, kT, torch::kInt64));
  EXPECT_THAT(ours.outputs, TensorNear(outputs, 1e-12));
  EXPECT_THAT(ours.last.hidden, TensorNear(hidden.squeeze(0), 1e-12));
  EXPECT_THAT(ours.last.cell, TensorNear(memory.squeeze(0), 1e-12));
}

/// Ba et al. (2016), Eq. 4.
torch::Tensor normalized(const LstmCell& cell, const std::string& name, const torch::Tensor& x) {
  const auto centered = x - x.mean(-1, /*keepdim=*/true);
  const auto variance = centered.square().mean(-1, /*keepdim=*/true);
  return parameter(cell, name + ".gain") * centered / (variance + 1e-5).sqrt() +
         parameter(cell, name + ".bias");
}

TEST(LstmCell, FollowsEquations20To22OfBaEtAlWithLayerNorm) {
  LstmCell cell(kI, kH, /*layer_norm=*/true);
  test::randomize(cell, 3);
  const auto x = random_f64({kN, kI}, 4);
  const CellState state{random_f64({kN, kH}, 5), random_f64({kN, kH}, 6)};
  const auto from_input =
      at::matmul(x, parameter(cell, "input_weight").t()) + parameter(cell, "bias");
  const auto from_hidden = at::matmul(state.hidden, parameter(cell, "recurrent_weight").t());
  const auto gates =
      normalized(cell, "input_norm", from_input) + normalized(cell, "recurrent_norm", from_hidden);
  const auto gate = [&](int64_t k) { return gates.slice(1, k * kH, (k + 1) * kH); };
  const auto memory = gate(1).sigmoid() * state.cell + gate(0).sigmoid() * gate(2).tanh();
  const auto hidden = gate(3).sigmoid() * normalized(cell, "cell_norm", memory).tanh();
  const CellState next = cell.step(cell.project(x), state, {});
  EXPECT_THAT(next.cell, TensorNear(memory, 1e-12));
  EXPECT_THAT(next.hidden, TensorNear(hidden, 1e-12));
}

TEST(LstmCell, MasksTheHiddenStateOnItsWayIntoTheGates) {
  for (const bool layer_norm : {false, true}) {
    LstmCell cell(kI, kH, layer_norm);
    test::randomize(cell, 3);
    const auto projected = random_f64({kN, 4 * kH}, 4);
    const CellState state{random_f64({kN, kH}, 5), random_f64({kN, kH}, 6)};
    const auto mask = f64({0, 2, 0, 2, 2, 2, 0, 0}, {kN, kH});
    const CellState masked = cell.step(projected, state, mask);
    const CellState expected = cell.step(projected, {state.hidden * mask, state.cell}, {});
    EXPECT_THAT(masked.hidden, TensorNear(expected.hidden, 1e-12));
    EXPECT_THAT(masked.cell, TensorNear(expected.cell, 1e-12));
  }
}

TEST(LstmCell, StartsWithForgetBiasOneAndOtherBiasesZero) {
  LstmCell cell(3, 2, /*layer_norm=*/false);
  test::randomize(cell, 3);
  cell.initialize(at::detail::createCPUGenerator(1));
  EXPECT_THAT(parameter(cell, "bias"), TensorEq(f64({0, 0, 1, 1, 0, 0, 0, 0}, {8})));
}

}  // namespace
}  // namespace attend::nn
