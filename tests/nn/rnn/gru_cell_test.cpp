#include "nn/rnn/gru_cell.h"

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

torch::Tensor zeros(torch::IntArrayRef sizes) {
  return torch::zeros(sizes, torch::kFloat64);
}

// All weights zero. sigma(0) = 1/2, sigma(ln 3) = 3/4, tanh(ln(3) / 2) = 1/2.
// Unit 1: r = 1/2, z = 3/4, n = tanh(0 + ln(3) / 2) = 1/2 and h = 2 give h' = 1/8 + 3/2.
// Unit 2: r = 3/4, z = 1/4, n = tanh(-ln(3) / 2 + 0) = -1/2 and h = 4 give h' = -3/8 + 1.
TEST(GruCell, GivesTheStepOfTheFormulaByHand) {
  GruCell cell(3, 2, /*layer_norm=*/false);
  cell.to(torch::kFloat64);
  const double a = std::log(3.0);
  test::set_parameter(cell, "input_weight", zeros({6, 3}));
  test::set_parameter(cell, "recurrent_weight", zeros({6, 2}));
  test::set_parameter(cell, "bias", f64({0, a, a, -a, 0, -a / 2}, {6}));
  test::set_parameter(cell, "candidate_bias", f64({a, 0}, {2}));
  const CellState next =
      cell.step(cell.project(random_f64({1, 3}, 1)), {f64({2, 4}, {1, 2}), {}}, {});
  EXPECT_THAT(next.hidden, TensorNear(f64({1.625, 0.625}, {1, 2}), 1e-12));
  EXPECT_FALSE(next.cell.defined());
}

TEST(GruCell, EqualsTorchGruOverASequence) {
  GruCell cell(kI, kH, /*layer_norm=*/false);
  test::randomize(cell, 3);
  const auto x = random_f64({kN, kT, kI}, 4);
  const CellState start{random_f64({kN, kH}, 5), {}};
  const std::vector<torch::Tensor> weights{
      parameter(cell, "input_weight"), parameter(cell, "recurrent_weight"), parameter(cell, "bias"),
      at::cat({zeros({2 * kH}), parameter(cell, "candidate_bias")})};
  const auto [outputs, hidden] =
      at::gru(x, start.hidden.unsqueeze(0), weights, /*has_biases=*/true, /*num_layers=*/1,
              /*dropout=*/0.0, /*train=*/false, /*bidirectional=*/false, /*batch_first=*/true);
  const SequenceOutput ours =
      run_directions({{cell, start, {}}}, x, torch::full({kN}, kT, torch::kInt64));
  EXPECT_THAT(ours.outputs, TensorNear(outputs, 1e-12));
  EXPECT_THAT(ours.last.hidden, TensorNear(hidden.squeeze(0), 1e-12));
}

/// Ba et al. (2016), Eq. 4; returns the vector unchanged without layer normalisation.
torch::Tensor normalized(const GruCell& cell, bool layer_norm, const std::string& name,
                         const torch::Tensor& x) {
  if (!layer_norm) return x;
  const auto centered = x - x.mean(-1, /*keepdim=*/true);
  const auto variance = centered.square().mean(-1, /*keepdim=*/true);
  return parameter(cell, name + ".gain") * centered / (variance + 1e-5).sqrt() +
         parameter(cell, name + ".bias");
}

/// The formula of the header, with `seen` for h where h enters the gates.
torch::Tensor by_formula(const GruCell& cell, bool layer_norm, const torch::Tensor& projected,
                         const torch::Tensor& hidden, const torch::Tensor& seen) {
  const auto x = normalized(cell, layer_norm, "input_norm", projected);
  const auto u = normalized(cell, layer_norm, "recurrent_norm",
                            at::matmul(seen, parameter(cell, "recurrent_weight").t()));
  const auto part = [](const torch::Tensor& all, int64_t k) {
    return all.slice(1, k * kH, (k + 1) * kH);
  };
  const auto reset = (part(x, 0) + part(u, 0)).sigmoid();
  const auto update = (part(x, 1) + part(u, 1)).sigmoid();
  const auto candidate =
      (part(x, 2) + reset * (part(u, 2) + parameter(cell, "candidate_bias"))).tanh();
  return (1 - update) * candidate + update * hidden;
}

TEST(GruCell, NormalizesBothProjectionsWithLayerNorm) {
  GruCell cell(kI, kH, /*layer_norm=*/true);
  test::randomize(cell, 3);
  const auto projected = random_f64({kN, 3 * kH}, 4);
  const auto hidden = random_f64({kN, kH}, 5);
  EXPECT_THAT(cell.step(projected, {hidden, {}}, {}).hidden,
              TensorNear(by_formula(cell, true, projected, hidden, hidden), 1e-12));
}

TEST(GruCell, MasksTheHiddenStateInTheGatesButNotInTheInterpolation) {
  GruCell cell(kI, kH, /*layer_norm=*/false);
  test::randomize(cell, 3);
  const auto projected = random_f64({kN, 3 * kH}, 4);
  const auto hidden = random_f64({kN, kH}, 5);
  const auto mask = f64({0, 2, 0, 2, 2, 2, 0, 0}, {kN, kH});
  EXPECT_THAT(cell.step(projected, {hidden, {}}, mask).hidden,
              TensorNear(by_formula(cell, false, projected, hidden, hidden * mask), 1e-12));
}

TEST(GruCell, StartsWithBiasesZero) {
  GruCell cell(3, 2, /*layer_norm=*/false);
  test::randomize(cell, 3);
  cell.initialize(at::detail::createCPUGenerator(1));
  EXPECT_THAT(parameter(cell, "bias"), TensorEq(zeros({6})));
  EXPECT_THAT(parameter(cell, "candidate_bias"), TensorEq(zeros({2})));
}

}  // namespace
}  // namespace attend::nn
