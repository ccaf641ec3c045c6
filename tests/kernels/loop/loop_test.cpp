#include "kernels/loop/loop.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <mutex>
#include <stdexcept>
#include <thread>

#include "kernels/cpu/parallel.h"
#include "tests/kernels/loop_check.h"
#include "tests/kernels/threads.h"

namespace attend::kernels {
namespace {

constexpr Precision kFull = Precision::full;

/// Makes a loop body from functions that create its operations.
template <class... Make>
Operations body_of(Make&&... operations) {
  Operations body;
  (body.push_back(std::move(operations)), ...);
  return body;
}

/// Row `row` of x times W^T.
double product_of(const double* x, const Leaf<double>& weight, int64_t output) {
  double sum = 0.0;
  for (int64_t k = 0; k < weight.values.columns; ++k) {
    sum += x[k] * weight.values.data[output * weight.values.columns + k];
  }
  return sum;
}

TEST(Loop, LinearOverwritesOrAdds) {
  for (const Into into : {Into::overwrite, Into::add}) {
    LoopCheck check;
    const auto x = check.given(5), y = check.given(3);
    const auto weight = check.matrix(3, 5);
    const std::vector<double> before(y.values, y.values + check.steps().total() * 3);
    check.run_forward_once([&] { return body_of(linear(x, weight, y, into, kFull)); });
    for (int64_t i = 0; i < check.steps().total() * 3; ++i) {
      const double there = into == Into::add ? before[static_cast<std::size_t>(i)] : 0.0;
      EXPECT_NEAR(y.values[i], there + product_of(x.values + i / 3 * 5, weight, i % 3), 1e-12);
    }
  }
}

TEST(Loop, LinearHasItsGradients) {
  LoopCheck check;
  const auto x = check.given(5), y = check.computed(3);
  const auto weight = check.matrix(3, 5);
  check.expect_gradients([&] { return body_of(linear(x, weight, y, Into::overwrite, kFull)); }, y);
}

TEST(Loop, AddsToExistingGradients) {
  LoopCheck check;
  check.begin_gradients_with(0.5);
  const auto a = check.given(5), some = check.computed(5), sums = check.computed(5);
  const auto y = check.computed(3);
  const auto weight = check.matrix(3, 5);
  const double* const mask = check.constants(check.steps().total() * 5);
  check.expect_gradients(
      [&] {
        return body_of(masked(a, mask, /*by_step=*/true, some), sum(a, some, sums),
                       linear(sums, weight, y, Into::overwrite, kFull));
      },
      y);
}

TEST(Loop, MaskAddsToTheGradientOfWhatItReads) {
  LoopCheck check;
  check.begin_gradients_with(0.5);
  const auto a = check.given(5), y = check.computed(5);
  const double* const mask = check.constants(check.steps().total() * 5);
  check.expect_gradients([&] { return body_of(masked(a, mask, /*by_step=*/true, y)); }, y);
}

TEST(Loop, PackedLinearIsForwardOnly) {
  LoopCheck check;
  const Steps& steps = check.steps();
  const auto weight = noise<float>(3 * 5, 1);
  const PackedWeight packed({weight.data(), 3, 5, 5}, WeightType::f32);
  auto x = noise<float>(steps.total() * 5, 2),
       y = std::vector<float>(static_cast<std::size_t>(steps.total()) * 3);
  const auto operation = linear(Series<float>{x.data(), nullptr, &steps, 5}, packed,
                                Series<float>{y.data(), nullptr, &steps, 3}, Into::overwrite);
  const auto adding = linear(Series<float>{x.data(), nullptr, &steps, 5}, packed,
                             Series<float>{y.data(), nullptr, &steps, 3}, Into::add);
  for (int64_t step = 0; step < steps.count(); ++step) {
    operation->forward(step);
    adding->forward(step);
  }
  for (std::size_t i = 0; i < y.size(); ++i) {
    double sum = 0.0;
    for (std::size_t k = 0; k < 5; ++k) {
      sum += static_cast<double>(x[i / 3 * 5 + k]) * static_cast<double>(weight[i % 3 * 5 + k]);
    }
    EXPECT_NEAR(y[i], 2 * sum, 2e-6) << "written once, then added once";
  }
  EXPECT_THROW(operation->backward(0), std::logic_error);
}

/// Inputs and weights of a projection(), with or without an index.
struct ProjectionCheck {
  LoopCheck check;
  Series<double> y = check.computed(3);
  Leaf<double> weight = check.matrix(3, 5);
  LoopCheck::Place bias = check.leaf(3);
  std::vector<int64_t> index;
  Leaf<double> rows;

  explicit ProjectionCheck(std::vector<int64_t> of)
      : index(std::move(of)), rows(check.matrix(index.empty() ? check.steps().total() : 4, 5)) {}

  Operations body() {
    return body_of(projection(ProjectionInput<double>{rows, index.empty() ? nullptr : index.data()},
                              ProjectionWeights<double>{weight, bias.values, bias.gradients}, y,
                              kFull));
  }
};

// 11 rows, indices into four distinct ones; index 2 does not occur, and one row is unused.
const std::vector<int64_t> kDistinct = {0, 1, 0, 3, 3, -1, 1, 1, 0, 3, 0};

TEST(Loop, ProjectionMultipliesAllSteps) {
  for (const auto& index : {std::vector<int64_t>(), kDistinct}) {
    ProjectionCheck it(index);
    it.check.run_forward_once([&] { return it.body(); });
    for (int64_t i = 0; i < it.check.steps().total() * 3; ++i) {
      const int64_t row = index.empty() ? i / 3 : index[static_cast<std::size_t>(i / 3)];
      if (row < 0) continue;
      EXPECT_NEAR(
          it.y.values[i],
          it.bias.values[i % 3] + product_of(it.rows.values.data + row * 5, it.weight, i % 3),
          1e-12);
    }
  }
}

TEST(Loop, ProjectionHasItsGradients) {
  for (const auto& index : {std::vector<int64_t>(), kDistinct}) {
    ProjectionCheck it(index);
    it.check.begin_gradients_with(0.5);
    it.check.expect_gradients([&] { return it.body(); }, it.y);
  }
}

// There are more columns than in one parallel task.
TEST(Loop, ProjectionSumsTheGradientsOfManyColumns) {
  constexpr std::size_t kColumns = 600;
  for (const auto& index : {std::vector<int64_t>(), kDistinct}) {
    LoopCheck check;
    const auto total = static_cast<std::size_t>(check.steps().total());
    const auto y = check.computed(kColumns);
    const auto weight = check.matrix(kColumns, 1);
    const auto bias = check.leaf(kColumns);
    const auto rows = check.matrix(index.empty() ? check.steps().total() : 4, 1);
    const auto gradients = noise<double>(check.steps().total() * int64_t{kColumns}, 9);
    std::copy(gradients.begin(), gradients.end(), y.gradients);
    projection(ProjectionInput<double>{rows, index.empty() ? nullptr : index.data()},
               ProjectionWeights<double>{weight, bias.values, bias.gradients}, y, kFull)
        ->finish();
    for (std::size_t k = 0; k < kColumns; ++k) {
      double d_bias = 0.0, d_weight = 0.0;
      for (std::size_t i = 0; i < total; ++i) {
        const int64_t row = index.empty() ? static_cast<int64_t>(i) : index[i];
        if (row < 0) continue;
        d_bias += gradients[i * kColumns + k];
        d_weight += gradients[i * kColumns + k] * rows.values.data[row];
      }
      ASSERT_NEAR(bias.gradients[k], d_bias, 1e-12) << "column " << k;
      ASSERT_NEAR(weight.gradient.data[k], d_weight, 1e-12) << "column " << k;
    }
  }
}

// A whole recurrent layer. Its state before the first step is also an input.
TEST(Loop, LstmOfItsOwnPastHasItsGradients) {
  LoopCheck check;
  const auto gates = check.given(4 * 3), cell = check.computed(3), hidden = check.computed(3);
  const auto weight = check.matrix(4 * 3, 3);
  check.expect_gradients(
      [&] {
        return body_of(linear(hidden.before(), weight, gates, Into::add, kFull),
                       lstm(gates, cell.before(), cell, hidden));
      },
      hidden);
}

TEST(Loop, GruOfItsOwnPastHasItsGradients) {
  LoopCheck check;
  const auto from_input = check.given(3 * 2), from_state = check.computed(3 * 2);
  const auto hidden = check.computed(2);
  const auto weight = check.matrix(3 * 2, 2);
  const auto bias = check.leaf(2);
  check.expect_gradients(
      [&] {
        return body_of(linear(hidden.before(), weight, from_state, Into::overwrite, kFull),
                       gru(from_input, from_state, static_cast<const double*>(bias.values),
                           bias.gradients, hidden.before(), hidden));
      },
      hidden);
}

TEST(Loop, MinimalGruOfItsOwnPastHasItsGradients) {
  LoopCheck check;
  const auto gates = check.given(2 * 3), hidden = check.computed(3);
  const auto weight = check.matrix(2 * 3, 3);
  check.expect_gradients(
      [&] {
        return body_of(linear(hidden.before(), weight, gates, Into::add, kFull),
                       min_gru(gates, hidden.before(), hidden));
      },
      hidden);
}

TEST(Loop, SumMaskAndTanhComputeTheirFormulas) {
  LoopCheck check;
  const auto a = check.given(5), b = check.given(5), sums = check.computed(5),
             y = check.computed(5);
  const double* const mask = check.constants(check.steps().total() * 5);
  check.run_forward_once([&] {
    return body_of(sum(a, b, sums), tanh_in_place(sums), masked(sums, mask, /*by_step=*/true, y));
  });
  for (int64_t i = 0; i < check.steps().total() * 5; ++i) {
    EXPECT_NEAR(y.values[i], mask[i] * std::tanh(a.values[i] + b.values[i]), 1e-14);
  }
}

TEST(Loop, SumMaskAndTanhHaveTheirGradients) {
  for (const bool by_step : {true, false}) {
    LoopCheck check;
    const auto a = check.given(5), b = check.given(5), sums = check.computed(5);
    const auto y = check.computed(5);
    const double* const mask = check.constants(check.steps().total() * 5);
    check.expect_gradients(
        [&] {
          return body_of(sum(a, b, sums), tanh_in_place(sums), masked(sums, mask, by_step, y));
        },
        y);
  }
}

TEST(Loop, PositiveIsAnExponentialBelowZero) {
  LoopCheck check;
  const auto a = check.given(5), b = check.given(5), sums = check.computed(5);
  const auto body = [&] { return body_of(sum(a, b, sums), positive_in_place(sums)); };
  check.run_forward_once(body);
  for (int64_t i = 0; i < check.steps().total() * 5; ++i) {
    const double x = a.values[i] + b.values[i];
    EXPECT_NEAR(sums.values[i], x > 0 ? x + 1 : std::exp(x), 1e-14);
  }
  check.expect_gradients(body, sums);
}

TEST(Loop, ScaledDirectionHasTheLengthOfItsFactor) {
  LoopCheck check;
  const auto x = check.given(5), y = check.computed(5);
  const auto factor = check.leaf(1);
  const auto body = [&] {
    return body_of(
        scaled_direction(x, static_cast<const double*>(factor.values), factor.gradients, y));
  };
  check.run_forward_once(body);
  for (int64_t row = 0; row < check.steps().total(); ++row) {
    double squares = 0.0;
    for (int64_t k = 0; k < 5; ++k) squares += std::pow(y.values[row * 5 + k], 2);
    EXPECT_NEAR(std::sqrt(squares), std::abs(*factor.values), 1e-14);
  }
  check.begin_gradients_with(0.5);
  check.expect_gradients(body, y);
}

/// The weights of a layer normalisation of five numbers.
NormWeights<double> norm_of(const LoopCheck::Place& gain, const LoopCheck::Place& bias) {
  return {gain.values, bias.values, gain.gradients, bias.gradients};
}

TEST(Loop, LayerNormHasMeanAndDeviationOfItsWeights) {
  LoopCheck check;
  const auto x = check.given(5), y = check.computed(5);
  auto gain = check.leaf(5), bias = check.leaf(5);
  std::fill_n(gain.values, 5, 2.0);
  std::fill_n(bias.values, 5, 3.0);
  check.run_forward_once(
      [&] { return body_of(layer_norm(x, norm_of(gain, bias), y, Into::overwrite, Into::add)); });
  for (int64_t row = 0; row < check.steps().total(); ++row) {
    double sum = 0.0, squares = 0.0;
    for (int64_t k = 0; k < 5; ++k) {
      sum += y.values[row * 5 + k];
      squares += std::pow(y.values[row * 5 + k] - 3.0, 2);
    }
    EXPECT_NEAR(sum / 5, 3.0, 1e-13);
    EXPECT_NEAR(std::sqrt(squares / 5), 2.0, 1e-3) << "except for the 1e-5 added to the variance";
  }
}

TEST(Loop, LayerNormHasItsGradients) {
  LoopCheck check;
  const auto a = check.given(5), x = check.computed(5), y = check.computed(5);
  const auto gain = check.leaf(5), bias = check.leaf(5);
  check.begin_gradients_with(0.5);
  check.expect_gradients(
      [&] {
        return body_of(sum(a, a, x),
                       layer_norm(x, norm_of(gain, bias), y, Into::overwrite, Into::add));
      },
      y);
}

TEST(Loop, LayerNormAddsToTheOutput) {
  LoopCheck check;
  const auto a = check.given(5), x = check.given(5), y = check.computed(5);
  const auto gain = check.leaf(5), bias = check.leaf(5);
  check.expect_gradients(
      [&] {
        return body_of(sum(a, a, y), layer_norm(x, norm_of(gain, bias), y, Into::add, Into::add));
      },
      y);
}

// If x is used up, its gradient shares the memory of x.
TEST(Loop, LayerNormMayOverwriteWhatItRead) {
  LoopCheck check;
  const auto a = check.given(5), x = check.computed(5), y = check.computed(5);
  const Series<double> used_up{x.values, x.values, x.steps, x.size};
  const auto gain = check.leaf(5), bias = check.leaf(5);
  check.expect_gradients(
      [&] {
        return body_of(sum(a, a, used_up), layer_norm(used_up, norm_of(gain, bias), y,
                                                      Into::overwrite, Into::overwrite));
      },
      y);
}

TEST(Loop, AnLstmInTwoPartsIsTheWhole) {
  LoopCheck check;
  const auto gates = check.given(4 * 3), previous = check.given(3);
  const auto cell = check.computed(3), hidden = check.computed(3);
  const std::vector<double> before(gates.values, gates.values + check.steps().total() * 12);
  check.run_forward_once([&] { return body_of(lstm(gates, previous, cell, hidden)); });
  const std::vector<double> whole(hidden.values, hidden.values + check.steps().total() * 3);
  std::copy(before.begin(), before.end(), gates.values);
  check.run_forward_once(
      [&] { return body_of(lstm_cell(gates, previous, cell), lstm_output(gates, cell, hidden)); });
  for (std::size_t i = 0; i < whole.size(); ++i) EXPECT_EQ(hidden.values[i], whole[i]);
}

TEST(Loop, AnLstmWithANormedCellHasItsGradients) {
  LoopCheck check;
  const auto gates = check.given(4 * 3), previous = check.given(3);
  const auto cell = check.computed(3), normed = check.computed(3), hidden = check.computed(3);
  const auto gain = check.leaf(3), bias = check.leaf(3);
  check.expect_gradients(
      [&] {
        return body_of(lstm_cell(gates, previous, cell),
                       layer_norm(cell, norm_of(gain, bias), normed, Into::overwrite, Into::add),
                       lstm_output(gates, normed, hidden));
      },
      hidden);
}

// Two loops over the same steps, as the directions of an encoder are.
TEST(Loop, RunsLoopsSideBySide) {
  LoopCheck check;
  const auto x = check.given(5), left = check.computed(3), right = check.computed(3);
  const auto weight = check.matrix(3, 5);
  std::vector<Operations> loops(2);
  loops[0] = body_of(linear(x, weight, left, Into::overwrite, kFull));
  loops[1] = body_of(linear(x, weight, right, Into::overwrite, kFull));
  run_forward(loops, check.steps());
  for (int64_t i = 0; i < check.steps().total() * 3; ++i) {
    EXPECT_NE(left.values[i], 0.0);
    EXPECT_EQ(left.values[i], right.values[i]);
  }
}

/// Counts the work of each thread.
class Work {
 public:
  void count(int64_t amount) {
    const std::lock_guard lock(mutex_);
    amounts_[std::this_thread::get_id()] += amount;
  }
  [[nodiscard]] std::vector<int64_t> amounts() const {
    std::vector<int64_t> amounts;
    for (const auto& [thread, amount] : amounts_) amounts.push_back(amount);
    return amounts;
  }

 private:
  std::mutex mutex_;
  std::map<std::thread::id, int64_t> amounts_;
};

/// An operation whose threads share 24 pieces of work per step, as a product shares panels.
class Counted final : public Operation {
 public:
  explicit Counted(Work& work) : work_(work) {}
  void forward(int64_t) override { share(); }
  void backward(int64_t) override { share(); }

 private:
  void share() {
    parallel_shares(24, [&](int64_t begin, int64_t end) { work_.count(end - begin); });
  }
  Work& work_;
};

// Regression: both directions of an encoder ran on one thread each, so six of eight threads waited.
TEST(Loop, GivesEveryThreadAnEqualShareOfTwoDirections) {
  const Steps steps({4, 3, 3, 1, 1});
  for (const int count : {1, 2, 3, 4, 8}) {
    const Threads threads(count);
    Work forward, backward;
    const auto bodies = [](Work& work) {
      std::vector<Operations> loops(2);
      for (Operations& body : loops) body = body_of(std::make_unique<Counted>(work));
      return loops;
    };
    run_forward(bodies(forward), steps);
    run_backward(bodies(backward), steps);
    const auto share = static_cast<std::size_t>(count);
    const std::vector<int64_t> equal(share, 2 * 5 * 24 / count);
    EXPECT_EQ(forward.amounts(), equal) << count << " threads";
    EXPECT_EQ(backward.amounts(), equal) << count << " threads";
  }
}

/// Values and gradients of two directions of LSTM and tanh, on `count` threads.
std::vector<double> two_directions(int count) {
  const Threads threads(count);
  LoopCheck check;
  std::vector<Operations> loops(2);
  std::vector<Series<double>> seen;
  for (Operations& body : loops) {
    const auto x = check.given(9), gates = check.computed(4 * 40), cell = check.computed(40);
    const auto hidden = check.computed(40), y = check.computed(7);
    const auto weight = check.matrix(160, 9), to_y = check.matrix(7, 40);
    body = body_of(linear(x, weight, gates, Into::overwrite, kFull),
                   lstm(gates, cell.before(), cell, hidden),
                   linear(hidden, to_y, y, Into::overwrite, kFull), tanh_in_place(y));
    seen.insert(seen.end(), {y, x, hidden});
  }
  run_forward(loops, check.steps());
  run_backward(loops, check.steps());
  std::vector<double> numbers;
  for (const Series<double>& of : seen) {
    const int64_t amount = check.steps().total() * of.size;
    numbers.insert(numbers.end(), of.values, of.values + amount);
    numbers.insert(numbers.end(), of.gradients, of.gradients + amount);
  }
  return numbers;
}

TEST(Loop, ComputesTheSameOnAnyNumberOfThreads) {
  const std::vector<double> one = two_directions(1);
  for (const int count : {2, 4, 8}) {
    expect_near(two_directions(count), one, 1e-13);
  }
}

}  // namespace
}  // namespace attend::kernels
