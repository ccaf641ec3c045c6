#include "nn/attention/scope/window.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/utils.h>

#include "tests/support/tensors.h"

namespace attend::nn {
namespace {

using test::f64;
using test::random_f64;
using test::TensorEq;

/// Two sentences of 6 and 4 words.
Memory memory() {
  const auto lengths = torch::tensor({6, 4}, torch::kInt64);
  return {{}, {}, test::mask_of(lengths, 6), lengths};
}

torch::Tensor integers(const std::vector<int64_t>& values, torch::IntArrayRef sizes) {
  return torch::tensor(values, torch::kInt64).view(sizes);
}

TEST(Window, HasAsManyColumnsAsItReachesOver) {
  const View view = window_around(f64({0, 2.5, 5, 3}, {2, 2}), 1, memory());
  EXPECT_THAT(view.positions, TensorEq(integers({0, 1, 2, 2, 3, 4, 3, 4, 5, 2, 3, 4}, {2, 2, 3})));
  // |s - 0| <= 1; |s - 2.5| <= 1; the second sentence has no words 4 and 5.
  EXPECT_THAT(view.mask, TensorEq(integers({1, 1, 0, 1, 1, 0, 0, 0, 0, 1, 1, 0}, {2, 2, 3})));
}

TEST(Window, ShowsTheWholeSourceWhereItIsNotNarrower) {
  const View view = window_around(f64({0, 5}, {2, 1}), 3, memory());
  EXPECT_FALSE(view.positions.defined());
  EXPECT_THAT(view.mask, TensorEq(integers({1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 0, 0}, {2, 1, 6})));
}

TEST(Window, GathersWhatLiesThere) {
  const auto positions = integers({4, 5, 0, 1, 2, 3, 1, 2}, {2, 2, 2});
  const auto keys = random_f64({2, 6, 3}, 1);
  const auto gathered = gather_window(keys, positions);
  EXPECT_EQ(gathered.sizes(), (torch::IntArrayRef{4, 2, 3}));
  EXPECT_THAT(gathered[0], TensorEq(keys[0].slice(0, 4, 6)));
  EXPECT_THAT(gathered[3], TensorEq(keys[1].slice(0, 1, 3)));
  EXPECT_THAT(gather_window(keys.select(2, 0), positions), TensorEq(gathered.select(2, 0)));
  EXPECT_FALSE(gather_window({}, positions).defined());
}

TEST(Window, GathersEnergiesOfEveryFeature) {
  const auto positions = integers({4, 5, 0, 1, 2, 3, 1, 2}, {2, 2, 2});
  const auto energies = random_f64({2, 3, 2, 6}, 1);  // [N, C, T, S]
  const auto gathered = gather_window_energies(energies, positions);
  EXPECT_EQ(gathered.sizes(), (torch::IntArrayRef{4, 3, 1, 2}));
  EXPECT_THAT(gathered[1], TensorEq(energies[0].slice(1, 1, 2).slice(2, 0, 2)));
  EXPECT_THAT(gather_window_energies(energies.select(1, 2), positions),
              TensorEq(gathered.select(1, 2)));
}

TEST(Window, ScattersWeightsBack) {
  EXPECT_THAT(scatter_window(f64({1, 2}, {1, 1, 2}), integers({3, 1}, {1, 1, 2}), 4),
              TensorEq(f64({0, 2, 0, 1}, {1, 1, 4})));
}

}  // namespace
}  // namespace attend::nn
