#include "kernels/cells/min_gru.h"

#include <gtest/gtest.h>

#include "tests/kernels/numbers.h"

namespace attend::kernels {
namespace {

constexpr int64_t kMinGruRows = 37, kMinGruSize = 21;  // several parallel tasks, incomplete vectors

template <class T>
struct MinGruRun {
  std::vector<T> gates = noise<T>(kMinGruRows * 2 * kMinGruSize, 1);
  std::vector<T> previous = noise<T>(kMinGruRows * kMinGruSize, 2);
  std::vector<T> hidden = std::vector<T>(kMinGruRows * kMinGruSize);

  void run() {
    min_gru_step(MinGruStep<T>{.rows = kMinGruRows,
                               .size = kMinGruSize,
                               .gates = gates.data(),
                               .previous_hidden = previous.data(),
                               .hidden = hidden.data()});
  }
};

template <class T>
class MinGruStepTest : public testing::Test {};
TYPED_TEST_SUITE(MinGruStepTest, FloatAndDouble);

TYPED_TEST(MinGruStepTest, ComputesItsFormula) {
  MinGruRun<TypeParam> step;
  const MinGruRun<TypeParam> before = step;
  step.run();
  for (int64_t row = 0; row < kMinGruRows; ++row) {
    for (int64_t k = 0; k < kMinGruSize; ++k) {
      const auto gate = [&](int64_t which) {
        const auto at = static_cast<std::size_t>((row * 2 + which) * kMinGruSize + k);
        return static_cast<double>(before.gates[at]);
      };
      const auto at = static_cast<std::size_t>(row * kMinGruSize + k);
      const double z = sigmoid_of(gate(0));
      const double hidden = (1.0 - z) * static_cast<double>(step.previous[at]) + z * gate(1);
      EXPECT_NEAR(step.hidden[at], hidden, kTolerance<TypeParam>);
    }
  }
}

template <class T>
struct MinGruGradients {
  std::vector<T> gates = std::vector<T>(kMinGruRows * 2 * kMinGruSize);
  std::vector<T> previous = noise<T>(kMinGruRows * kMinGruSize, 4);  // added to
};

/// The gradients from `d_hidden`, in separate memory or in the memory of the gates.
template <class T>
MinGruGradients<T> min_gru_gradients(MinGruRun<T>& step, const std::vector<T>& d_hidden,
                                     bool in_place) {
  MinGruGradients<T> d;
  min_gru_step_gradient(
      MinGruStepGradient<T>{.rows = kMinGruRows,
                            .size = kMinGruSize,
                            .gates = step.gates.data(),
                            .previous_hidden = step.previous.data(),
                            .d_hidden = d_hidden.data(),
                            .d_previous_hidden = d.previous.data(),
                            .d_gates = in_place ? step.gates.data() : d.gates.data()});
  if (in_place) d.gates = step.gates;
  return d;
}

TEST(MinGruStepGradient, MatchesCentralDifferences) {
  const auto d_hidden = noise<double>(kMinGruRows * kMinGruSize, 3);
  MinGruRun<double> input;
  const auto objective = [&] {
    MinGruRun<double> step = input;
    step.run();
    return dot(step.hidden, d_hidden);
  };
  MinGruRun<double> step = input;
  step.run();
  MinGruGradients<double> d = min_gru_gradients(step, d_hidden, /*in_place=*/false);
  expect_slopes(input.gates, d.gates, objective, "gates");
  const auto there = MinGruGradients<double>().previous;
  for (std::size_t i = 0; i < there.size(); ++i) d.previous[i] -= there[i];
  expect_slopes(input.previous, d.previous, objective, "previous state");
}

TEST(MinGruStepGradient, MayOverwriteTheGates) {
  const auto d_hidden = noise<float>(kMinGruRows * kMinGruSize, 3);
  MinGruRun<float> step;
  step.run();
  const auto apart = min_gru_gradients(step, d_hidden, /*in_place=*/false);
  const auto within = min_gru_gradients(step, d_hidden, /*in_place=*/true);
  EXPECT_EQ(within.gates, apart.gates);
  EXPECT_EQ(within.previous, apart.previous);
}

}  // namespace
}  // namespace attend::kernels
