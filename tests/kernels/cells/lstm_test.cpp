#include "kernels/cells/lstm.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/kernels/numbers.h"

namespace attend::kernels {
namespace {

constexpr int64_t kLstmRows = 11,
                  kLstmSize = 37;  // several parallel tasks, incomplete vectors

template <class T>
struct LstmRun {
  std::vector<T> gates = noise<T>(kLstmRows * 4 * kLstmSize, 1);
  std::vector<T> previous = noise<T>(kLstmRows * kLstmSize, 2);
  std::vector<T> cell = std::vector<T>(kLstmRows * kLstmSize);
  std::vector<T> hidden = std::vector<T>(kLstmRows * kLstmSize);

  void run() {
    lstm_step(LstmStep<T>{.rows = kLstmRows,
                          .size = kLstmSize,
                          .gates = gates.data(),
                          .previous_cell = previous.data(),
                          .cell = cell.data(),
                          .hidden = hidden.data()});
  }
};

template <class T>
class LstmStepTest : public testing::Test {};
TYPED_TEST_SUITE(LstmStepTest, FloatAndDouble);

TYPED_TEST(LstmStepTest, ComputesItsFormula) {
  LstmRun<TypeParam> step;
  const auto before = step.gates;
  step.run();
  for (int64_t row = 0; row < kLstmRows; ++row) {
    for (int64_t k = 0; k < kLstmSize; ++k) {
      const auto a = [&](int64_t gate) {
        return static_cast<double>(
            before[static_cast<std::size_t>((row * 4 + gate) * kLstmSize + k)]);
      };
      const auto at = static_cast<std::size_t>(row * kLstmSize + k);
      const double cell = sigmoid_of(a(1)) * static_cast<double>(step.previous[at]) +
                          sigmoid_of(a(0)) * std::tanh(a(2));
      EXPECT_NEAR(step.cell[at], cell, kTolerance<TypeParam>);
      EXPECT_NEAR(step.hidden[at], sigmoid_of(a(3)) * std::tanh(cell), kTolerance<TypeParam>);
    }
  }
}

template <class T>
struct LstmGradients {
  std::vector<T> gates = std::vector<T>(kLstmRows * 4 * kLstmSize);
  std::vector<T> previous = noise<T>(kLstmRows * kLstmSize, 5);  // added to
};

/// The gradients from `d_hidden` and `d_cell`, in separate memory or in the memory of the gates.
template <class T>
LstmGradients<T> gradients_of(LstmRun<T>& step, const std::vector<T>& d_hidden,
                              const std::vector<T>& d_cell, bool in_place) {
  LstmGradients<T> d;
  T* const d_gates = in_place ? step.gates.data() : d.gates.data();
  lstm_step_gradient(LstmStepGradient<T>{.rows = kLstmRows,
                                         .size = kLstmSize,
                                         .gates = step.gates.data(),
                                         .previous_cell = step.previous.data(),
                                         .cell = step.cell.data(),
                                         .d_hidden = d_hidden.data(),
                                         .d_cell = d_cell.data(),
                                         .d_previous_cell = d.previous.data(),
                                         .d_gates = d_gates});
  if (in_place) d.gates = step.gates;
  return d;
}

TEST(LstmStepGradient, MatchesCentralDifferences) {
  const auto d_hidden = noise<double>(kLstmRows * kLstmSize, 3),
             d_cell = noise<double>(kLstmRows * kLstmSize, 4);
  LstmRun<double> input;
  const auto objective = [&] {
    LstmRun<double> step = input;
    step.run();
    return dot(step.hidden, d_hidden) + dot(step.cell, d_cell);
  };
  LstmRun<double> step = input;
  step.run();
  LstmGradients<double> d = gradients_of(step, d_hidden, d_cell, /*in_place=*/false);
  expect_slopes(input.gates, d.gates, objective, "gates");
  const auto there = LstmGradients<double>().previous;
  for (std::size_t i = 0; i < there.size(); ++i) d.previous[i] -= there[i];
  expect_slopes(input.previous, d.previous, objective, "previous cell");
}

TEST(LstmStepGradient, MayOverwriteTheGates) {
  const auto d_hidden = noise<float>(kLstmRows * kLstmSize, 3),
             d_cell = noise<float>(kLstmRows * kLstmSize, 4);
  LstmRun<float> step;
  step.run();
  const auto apart = gradients_of(step, d_hidden, d_cell, /*in_place=*/false);
  EXPECT_EQ(gradients_of(step, d_hidden, d_cell, /*in_place=*/true).gates, apart.gates);
}

TEST(LstmStepGradient, IsTheSameInFloat) {
  const auto run = [](auto zero) {
    using T = decltype(zero);
    LstmRun<T> step;
    step.run();
    return gradients_of(step, noise<T>(kLstmRows * kLstmSize, 3),
                        noise<T>(kLstmRows * kLstmSize, 4), true);
  };
  const auto narrow = run(0.0F);
  const auto wide = run(0.0);
  expect_near(narrow.gates, wide.gates, kTolerance<float>);
  expect_near(narrow.previous, wide.previous, kTolerance<float>);
}

}  // namespace
}  // namespace attend::kernels
