#include "nn/rnn/min_gru_cell.h"

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

/// W = 2, b = 4; W_z = 0, b_z = log 1/3, so that each step takes a quarter of the new value.
std::shared_ptr<MinGruCell> cell_of_quarters() {
  auto made = std::make_shared<MinGruCell>(1, 1, /*layer_norm=*/false);
  made->to(torch::kFloat64);
  test::set_parameter(*made, "input_weight", f64({0, 2}, {2, 1}));
  test::set_parameter(*made, "bias", f64({-std::log(3.0), 4}, {2}));
  return made;
}

// x = 1, -8 from h = 2: 3/4 * 2 + 1/4 * 6, then 3/4 * 3 - 1/4 * 12.
TEST(MinGruCell, EqualsItsEquationsByHand) {
  const auto cell = cell_of_quarters();
  const CellState first = cell->step(cell->project(f64({1}, {1, 1})), {f64({2}, {1, 1}), {}}, {});
  EXPECT_THAT(first.hidden, TensorNear(f64({3}, {1, 1}), 1e-12));
  const CellState second = cell->step(cell->project(f64({-8}, {1, 1})), first, {});
  EXPECT_THAT(second.hidden, TensorNear(f64({-0.75}, {1, 1}), 1e-12));
}

// With max(., 0) on its output and no bias in the new value, the cell is an SSRU.
TEST(MinGruCell, RectifiedIsAnSsru) {
  constexpr int64_t kSize = 5;
  MinGruCell cell(kSize, kSize, /*layer_norm=*/false);
  Ssru unit(kSize);
  cell.to(torch::kFloat64);
  unit.to(torch::kFloat64);
  test::randomize(unit, 7);
  const auto of_unit = [&unit](const char* name) { return test::parameter(unit, name).detach(); };
  test::set_parameter(cell, "input_weight",
                      at::cat({-of_unit("forget.weight"), of_unit("input.weight")}));
  test::set_parameter(cell, "bias",
                      at::cat({-of_unit("forget.bias"), torch::zeros({kSize}, torch::kFloat64)}));
  const torch::Tensor x = random_f64({3, 4, kSize}, 8);
  const SequenceOutput whole =
      run_directions({{cell, cell.start(3, x), {}}}, x, torch::full({3}, 4, torch::kInt64));
  const Ssru::Output expected = unit.forward(x, {});
  EXPECT_THAT(whole.outputs.relu(), TensorNear(expected.outputs, 1e-12));
  EXPECT_THAT(whole.last.hidden, TensorNear(expected.cell, 1e-12));
}

}  // namespace
}  // namespace attend::nn
