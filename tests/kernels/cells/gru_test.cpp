#include "kernels/cells/gru.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/kernels/numbers.h"

namespace attend::kernels {
namespace {

constexpr int64_t kGruRows = 11,
                  kGruSize = 37;  // several parallel tasks, incomplete vectors

template <class T>
struct GruRun {
  std::vector<T> from_input = noise<T>(kGruRows * 3 * kGruSize, 1);
  std::vector<T> from_state = noise<T>(kGruRows * 3 * kGruSize, 2);
  std::vector<T> bias = noise<T>(kGruSize, 3);
  std::vector<T> previous = noise<T>(kGruRows * kGruSize, 4);
  std::vector<T> hidden = std::vector<T>(kGruRows * kGruSize);

  void run() {
    gru_step(GruStep<T>{.rows = kGruRows,
                        .size = kGruSize,
                        .from_input = from_input.data(),
                        .from_state = from_state.data(),
                        .bias = bias.data(),
                        .previous_hidden = previous.data(),
                        .hidden = hidden.data()});
  }
};

template <class T>
class GruStepTest : public testing::Test {};
TYPED_TEST_SUITE(GruStepTest, FloatAndDouble);

TYPED_TEST(GruStepTest, ComputesItsFormula) {
  GruRun<TypeParam> step;
  const GruRun<TypeParam> before = step;
  step.run();
  for (int64_t row = 0; row < kGruRows; ++row) {
    for (int64_t k = 0; k < kGruSize; ++k) {
      const auto of = [&](const std::vector<TypeParam>& x, int64_t gate) {
        return static_cast<double>(x[static_cast<std::size_t>((row * 3 + gate) * kGruSize + k)]);
      };
      const auto at = static_cast<std::size_t>(row * kGruSize + k);
      const double r = sigmoid_of(of(before.from_input, 0) + of(before.from_state, 0));
      const double z = sigmoid_of(of(before.from_input, 1) + of(before.from_state, 1));
      const double m =
          of(before.from_state, 2) + static_cast<double>(step.bias[static_cast<std::size_t>(k)]);
      const double n = std::tanh(of(before.from_input, 2) + r * m);
      const double hidden = (1.0 - z) * n + z * static_cast<double>(step.previous[at]);
      EXPECT_NEAR(step.hidden[at], hidden, kTolerance<TypeParam>);
    }
  }
}

template <class T>
struct GruGradients {
  std::vector<T> from_input = std::vector<T>(kGruRows * 3 * kGruSize);
  std::vector<T> from_state = std::vector<T>(kGruRows * 3 * kGruSize);
  std::vector<T> previous = noise<T>(kGruRows * kGruSize, 6);  // added to
};

/// The gradients from `d_hidden`, in separate memory or in the memory of the gates.
template <class T>
GruGradients<T> gradients_of(GruRun<T>& step, const std::vector<T>& d_hidden, bool in_place) {
  GruGradients<T> d;
  gru_step_gradient(
      GruStepGradient<T>{.rows = kGruRows,
                         .size = kGruSize,
                         .gates = step.from_input.data(),
                         .from_state = step.from_state.data(),
                         .previous_hidden = step.previous.data(),
                         .d_hidden = d_hidden.data(),
                         .d_previous_hidden = d.previous.data(),
                         .d_from_input = in_place ? step.from_input.data() : d.from_input.data(),
                         .d_from_state = in_place ? step.from_state.data() : d.from_state.data()});
  if (in_place) {
    d.from_input = step.from_input;
    d.from_state = step.from_state;
  }
  return d;
}

TEST(GruStepGradient, MatchesCentralDifferences) {
  const auto d_hidden = noise<double>(kGruRows * kGruSize, 5);
  GruRun<double> input;
  const auto objective = [&] {
    GruRun<double> step = input;
    step.run();
    return dot(step.hidden, d_hidden);
  };
  GruRun<double> step = input;
  step.run();
  GruGradients<double> d = gradients_of(step, d_hidden, /*in_place=*/false);
  expect_slopes(input.from_input, d.from_input, objective, "from input");
  expect_slopes(input.from_state, d.from_state, objective, "from state");
  const auto there = GruGradients<double>().previous;
  for (std::size_t i = 0; i < there.size(); ++i) d.previous[i] -= there[i];
  expect_slopes(input.previous, d.previous, objective, "previous state");
}

TEST(GruStepGradient, MayOverwriteTheGates) {
  const auto d_hidden = noise<float>(kGruRows * kGruSize, 5);
  GruRun<float> step;
  step.run();
  const auto apart = gradients_of(step, d_hidden, /*in_place=*/false);
  const auto within = gradients_of(step, d_hidden, /*in_place=*/true);
  EXPECT_EQ(within.from_input, apart.from_input);
  EXPECT_EQ(within.from_state, apart.from_state);
}

TEST(GruStepGradient, IsTheSameInFloat) {
  const auto run = [](auto zero) {
    using T = decltype(zero);
    GruRun<T> step;
    step.run();
    return gradients_of(step, noise<T>(kGruRows * kGruSize, 5), true);
  };
  const auto narrow = run(0.0F);
  const auto wide = run(0.0);
  expect_near(narrow.from_input, wide.from_input, kTolerance<float>);
  expect_near(narrow.from_state, wide.from_state, kTolerance<float>);
  expect_near(narrow.previous, wide.previous, kTolerance<float>);
}

}  // namespace
}  // namespace attend::kernels
