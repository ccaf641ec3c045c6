#include "model/recurrent/readout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/utils.h>

#include <cmath>

#include "tests/support/tensors.h"

namespace attend::model {
namespace {

using test::f64;
using test::TensorNear;

// H = 1, E = 2, C = 1: s = 2, y = (3, 5), c = 7.
torch::Tensor read(ReadoutKind kind, const std::vector<double>& weight,
                   const std::vector<double>& bias) {
  ModelOptions options;
  auto& decoder = std::get<RecurrentDecoderOptions>(options.decoder);
  decoder.readout = kind;
  decoder.hidden = 1;
  options.embedding = 2;
  Readout readout(options, /*memory_size=*/1);
  readout.to(torch::kFloat64);
  const auto rows = static_cast<int64_t>(bias.size());
  test::set_parameter(readout, "linear.weight", f64(weight, {rows, 4}));
  test::set_parameter(readout, "linear.bias", f64(bias, {rows}));
  return readout.forward(f64({2}, {1, 1, 1}), f64({3, 5}, {1, 1, 2}), f64({7}, {1, 1, 1}));
}

// Columns are s, y_1, y_2, c: t = (2 - 3 + 0.5, 5 - 7 + 3).
TEST(Readout, TanhOfStateWordAndContext) {
  EXPECT_THAT(read(ReadoutKind::tanh, {1, -1, 0, 0, 0, 0, 1, -1}, {0.5, 3}),
              TensorNear(f64({std::tanh(-0.5), std::tanh(1.0)}, {1, 1, 2}), 1e-12));
}

// t = (2, 3, 5, 7 - 4): the larger of 2 and 3, and of 5 and 3.
TEST(Readout, MaxoutTakesTheLargerOfEachTwoNeighbours) {
  EXPECT_THAT(
      read(ReadoutKind::maxout, {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}, {0, 0, 0, -4}),
      TensorNear(f64({3, 5}, {1, 1, 2}), 1e-12));
}

}  // namespace
}  // namespace attend::model
