#include "kernels/attention/attention.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "kernels/attention/attention_energy.h"
#include "kernels/loop/loop.h"
#include "tests/kernels/numbers.h"

namespace attend::kernels {
namespace {

constexpr int64_t kSentences = 6, kPositions = 7, kInner = 19, kValues = 21;
const std::vector<int64_t> kLengths = {7, 3, 1, 0, 6, 2};

/// Gradients with initial content, which the kernel must keep and add to.
template <class T>
struct AttentionRunGradients {
  std::vector<T> query = std::vector<T>(kSentences * kInner, T(1));
  std::vector<T> keys = std::vector<T>(kSentences * kPositions * kInner, T(1));
  std::vector<T> values = std::vector<T>(kSentences * kPositions * kValues, T(1));
  std::vector<T> vector = std::vector<T>(kInner, T(1));
  std::vector<T> weights, context;  // incoming gradients
};

/// One step over all sentences, with one row per sentence or several rows that share sentences.
template <class T>
struct AttentionRun {
  std::vector<int64_t> owners;  // empty: one row per sentence
  bool is_additive = true;
  int64_t rows = owners.empty() ? kSentences : static_cast<int64_t>(owners.size());
  Steps steps = Steps({rows});
  std::vector<T> keys = noise<T>(kSentences * kPositions * kInner, 1);
  std::vector<T> values = noise<T>(kSentences * kPositions * kValues, 2);
  std::vector<T> vector = noise<T>(kInner, 3);
  std::vector<T> query = noise<T>(rows * kInner, 4);
  std::vector<T> weights = std::vector<T>(static_cast<std::size_t>(rows * kPositions), T(9));
  std::vector<T> context = std::vector<T>(static_cast<std::size_t>(rows * kValues), T(9));

  [[nodiscard]] Series<T> series(std::vector<T>& x, std::vector<T>* d, int64_t size) const {
    return {x.data(), d == nullptr ? nullptr : d->data(), &steps, size};
  }

  [[nodiscard]] std::unique_ptr<AttentionEnergy<T>> energy(AttentionRunGradients<T>* d) {
    const AttentionKeys<T> read{keys.data(), d == nullptr ? nullptr : d->keys.data(), kPositions,
                                kInner};
    const Series<T> asked = series(query, d == nullptr ? nullptr : &d->query, kInner);
    if (!is_additive) return dot_energy<T>(read, asked, ProductForm::itself, {});
    return tanh_energy<T>(read, asked,
                          {vector.data(), d == nullptr ? nullptr : d->vector.data(), kInner});
  }

  [[nodiscard]] std::unique_ptr<Operation> operation(AttentionRunGradients<T>* d) {
    AttentionMemory<T> memory;
    memory.positions = kPositions;
    memory.size = kValues;
    memory.values = values.data();
    memory.d_values = d == nullptr ? nullptr : d->values.data();
    memory.lengths = kLengths.data();
    memory.owners = owners.empty() ? nullptr : owners.data();
    AttentionResult<T> result;
    result.weights = series(weights, d == nullptr ? nullptr : &d->weights, kPositions);
    result.context = series(context, d == nullptr ? nullptr : &d->context, kValues);
    return attention<T>(memory, {}, energy(d), result);
  }

  void run() { operation(nullptr)->forward(0); }
};

/// e_s of one row, in double.
template <class T>
double energy_of(const AttentionRun<T>& step, int64_t row, int64_t sentence, int64_t position) {
  double energy = 0.0;
  for (int64_t a = 0; a < kInner; ++a) {
    const auto k = static_cast<double>(
        step.keys[static_cast<std::size_t>((sentence * kPositions + position) * kInner + a)]);
    const auto q = static_cast<double>(step.query[static_cast<std::size_t>(row * kInner + a)]);
    const auto w = static_cast<double>(step.vector[static_cast<std::size_t>(a)]);
    energy += step.is_additive ? w * std::tanh(k + q) : k * q;
  }
  return energy;
}

/// weights [S] of one row, in double.
template <class T>
std::vector<double> weights_of(const AttentionRun<T>& step, int64_t row, int64_t sentence) {
  std::vector<double> weights(kPositions);
  double sum = 0.0;
  for (int64_t s = 0; s < kLengths[static_cast<std::size_t>(sentence)]; ++s) {
    sum += weights[static_cast<std::size_t>(s)] = std::exp(energy_of(step, row, sentence, s));
  }
  for (double& weight : weights) weight = sum == 0.0 ? 0.0 : weight / sum;
  return weights;
}

template <class T>
void expect_formula(AttentionRun<T> step) {
  step.run();
  for (int64_t row = 0; row < step.rows; ++row) {
    const int64_t sentence = step.owners.empty() ? row : step.owners[static_cast<std::size_t>(row)];
    const std::vector<double> weights = weights_of(step, row, sentence);
    const T* const found = step.weights.data() + row * kPositions;
    expect_near(std::vector<T>(found, found + kPositions), weights, kTolerance<T>);
    for (int64_t k = 0; k < kValues; ++k) {
      double context = 0.0;
      for (int64_t s = 0; s < kPositions; ++s) {
        const auto at = static_cast<std::size_t>((sentence * kPositions + s) * kValues + k);
        context += weights[static_cast<std::size_t>(s)] * static_cast<double>(step.values[at]);
      }
      EXPECT_NEAR(step.context[static_cast<std::size_t>(row * kValues + k)], context,
                  kTolerance<T>);
    }
  }
}

template <class T>
class AttentionStepTest : public testing::Test {};
TYPED_TEST_SUITE(AttentionStepTest, FloatAndDouble);

TYPED_TEST(AttentionStepTest, ComputesItsFormula) {
  for (const bool is_additive : {true, false}) {
    expect_formula(AttentionRun<TypeParam>{{}, is_additive});
    expect_formula(AttentionRun<TypeParam>{{4, 0, 0, 3, 5, 4, 4, 1}, is_additive});
  }
}

TEST(AttentionStep, SurvivesHugeEnergies) {
  AttentionRun<float> step{{}, /*is_additive=*/false};
  for (float& key : step.keys) key *= 1e4F;
  step.run();
  for (int64_t row = 0; row < kSentences; ++row) {
    float sum = 0.0F;
    for (int64_t s = 0; s < kPositions; ++s)
      sum += step.weights[static_cast<std::size_t>(row * kPositions + s)];
    EXPECT_FLOAT_EQ(sum, kLengths[static_cast<std::size_t>(row)] == 0 ? 0.0F : 1.0F);
    const float heaviest = *std::max_element(step.weights.begin() + row * kPositions,
                                             step.weights.begin() + (row + 1) * kPositions);
    EXPECT_FLOAT_EQ(heaviest, sum) << "the other weights are far smaller";
  }
}

template <class T>
AttentionRunGradients<T> gradients_of(AttentionRun<T> step, const std::vector<T>& d_context,
                                      const std::vector<T>& d_weights) {
  step.run();
  AttentionRunGradients<T> d;
  d.context = d_context;
  d.weights = d_weights;
  const std::unique_ptr<Operation> operation = step.operation(&d);
  operation->backward(0);
  operation->finish();
  for (auto* x : {&d.query, &d.keys, &d.values, &d.vector}) {
    for (T& value : *x) value -= T(1);
  }
  return d;
}

TEST(AttentionStepGradient, MatchesCentralDifferences) {
  const auto d_context = noise<double>(kSentences * kValues, 5);
  const auto d_weights = noise<double>(kSentences * kPositions, 6);
  for (const bool is_additive : {true, false}) {
    AttentionRun<double> input{{}, is_additive};
    const auto objective = [&] {
      AttentionRun<double> step = input;
      step.run();
      return dot(step.context, d_context) + dot(step.weights, d_weights);
    };
    const AttentionRunGradients<double> d = gradients_of(input, d_context, d_weights);
    expect_slopes(input.query, d.query, objective, "query");
    expect_slopes(input.keys, d.keys, objective, "keys");
    expect_slopes(input.values, d.values, objective, "values");
    expect_slopes(input.vector, d.vector, objective, "vector");
  }
}

TEST(AttentionStepGradient, IsTheSameInFloat) {
  const auto run = [](auto zero, bool is_additive) {
    using T = decltype(zero);
    return gradients_of(AttentionRun<T>{{}, is_additive}, noise<T>(kSentences * kValues, 5),
                        noise<T>(kSentences * kPositions, 6));
  };
  for (const bool is_additive : {true, false}) {
    const auto narrow = run(0.0F, is_additive);
    const auto wide = run(0.0, is_additive);
    expect_near(narrow.query, wide.query, 1e-5);
    expect_near(narrow.keys, wide.keys, 1e-5);
    expect_near(narrow.values, wide.values, 1e-5);
    expect_near(narrow.vector, wide.vector, 2e-5);
  }
}

}  // namespace
}  // namespace attend::kernels
