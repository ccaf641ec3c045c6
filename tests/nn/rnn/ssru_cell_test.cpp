#include "nn/rnn/ssru_cell.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/utils.h>

#include <cmath>

#include "nn/rnn/sequence.h"
#include "nn/rnn/ssru.h"
#include "tests/support/tensors.h"

namespace attend::nn {
namespace {

using test::f64;
using test::random_f64;
using test::TensorNear;

/// W = 2, W_f = 0, b_f = log 3, so that it keeps three quarters at each step; b = 4.
std::shared_ptr<SsruCell> cell_of_three_quarters() {
  auto made = std::make_shared<SsruCell>(1, 1, /*layer_norm=*/false);
  made->to(torch::kFloat64);
  test::set_parameter(*made, "input_weight", f64({0, 2}, {2, 1}));
  test::set_parameter(*made, "bias", f64({std::log(3.0), 4}, {2}));
  return made;
}

// x = 1, -8 from c = 2: 3/4 * 2 + 1/4 * 6, then 3/4 * 3 - 1/4 * 12.
TEST(SsruCell, EqualsItsEquationsByHand) {
  const auto cell = cell_of_three_quarters();
  const CellState start{f64({9}, {1, 1}), f64({2}, {1, 1})};  // the hidden state is not read
  const CellState first = cell->step(cell->project(f64({1}, {1, 1})), start, {});
  EXPECT_THAT(first.cell, TensorNear(f64({3}, {1, 1}), 1e-12));
  EXPECT_THAT(first.hidden, TensorNear(f64({3}, {1, 1}), 1e-12));
  const CellState second = cell->step(cell->project(f64({-8}, {1, 1})), first, {});
  EXPECT_THAT(second.cell, TensorNear(f64({-0.75}, {1, 1}), 1e-12));
  EXPECT_THAT(second.hidden, TensorNear(f64({0}, {1, 1}), 1e-12));
}

TEST(SsruCell, IsTheUnitOfDecoderLayers) {
  constexpr int64_t kSize = 5;
  SsruCell cell(kSize, kSize, /*layer_norm=*/false);
  Ssru unit(kSize);
  cell.to(torch::kFloat64);
  unit.to(torch::kFloat64);
  test::randomize(unit, 7);
  test::set_parameter(cell, "input_weight",
                      at::cat({test::parameter(unit, "forget.weight").detach(),
                               test::parameter(unit, "input.weight").detach()}));
  test::set_parameter(cell, "bias",
                      at::cat({test::parameter(unit, "forget.bias").detach(),
                               torch::zeros({kSize}, torch::kFloat64)}));
  const torch::Tensor x = random_f64({3, 4, kSize}, 8);
  const SequenceOutput whole =
      run_directions({{cell, cell.start(3, x), {}}}, x, torch::full({3}, 4, torch::kInt64));
  const Ssru::Output expected = unit.forward(x, {});
  EXPECT_THAT(whole.outputs, TensorNear(expected.outputs, 1e-12));
  EXPECT_THAT(whole.last.cell, TensorNear(expected.cell, 1e-12));
}

}  // namespace
}  // namespace attend::nn
