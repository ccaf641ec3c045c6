// Compares the measures of one position with a second implementation. It writes down each changed
// set of weights by its formula and predicts with a memory of one position.
#include "app/explain/weight_measures.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/utils.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/app/explain/replaced_weights.h"
#include "tests/decode/small_pairs.h"

namespace attend::app {
namespace {

using attend::test::small_model;
using attend::test::small_options;
using test::own_weights;
using test::scores_with;
using test::Tokens;
using Weights = std::vector<double>;

const Tokens kMeasuredSource = {4, 9, 10, 5};
const Tokens kMeasuredTarget = {8, 4, 6};

Weights probabilities(const torch::Tensor& scores) {
  const torch::Tensor p = scores.softmax(0).contiguous();
  return {p.data_ptr<double>(), p.data_ptr<double>() + p.numel()};
}

std::size_t largest_of(const Weights& values) {
  return static_cast<std::size_t>(std::max_element(values.begin(), values.end()) - values.begin());
}

/// Sets `positions` to 0 and divides the others by their sum.
Weights rescaled_without(Weights weights, const std::vector<std::size_t>& positions) {
  for (const std::size_t position : positions) weights[position] = 0.0;
  double left = 0.0;
  for (const double weight : weights) left += weight;
  for (double& weight : weights) weight = left > 0.0 ? weight / left : 0.0;
  return weights;
}

/// An importance that ranks the positions the other way round.
Weights reversed(Weights weights) {
  for (double& weight : weights) weight = -weight;
  return weights;
}

/// One target position of a small model whose predictions depend on the source.
class WeightMeasures : public testing::TestWithParam<std::size_t> {
 protected:
  WeightMeasures() : model_(small_model(options())) {
    WeightProbe probe(*model_, kMeasuredSource, kMeasuredTarget);
    for (std::size_t t = 0; t < GetParam(); ++t) probe.advance();
    own_ = own_weights(*model_, kMeasuredSource, kMeasuredTarget, GetParam());
    before_ = predicted(own_);
    Random random(3);
    add_weight_measures(probe, {{own_}}, {"all", {{0}}},
                        {static_cast<text::TokenId>(largest_of(before_)), before_},
                        {reversed(own_), {}, {}}, random, values_);
  }

  static model::ModelOptions options() {
    model::ModelOptions result = small_options(model::WiringKind::luong);
    result.attention.temperature = 0.1;  // weights that differ from each other
    return result;
  }

  [[nodiscard]] Weights predicted(const Weights& weights) const {
    return probabilities(
        scores_with(*model_, kMeasuredSource, kMeasuredTarget, GetParam(), weights));
  }

  void expect_replacement(Measure kept, Measure tvd, const Weights& weights) {
    const Weights after = predicted(weights);
    double distance = 0.0;
    for (std::size_t i = 0; i < after.size(); ++i) distance += std::abs(after[i] - before_[i]) / 2;
    EXPECT_NEAR(values_[tvd], distance, 1e-10);
    EXPECT_EQ(values_[kept], largest_of(after) == largest_of(before_) ? 1.0 : 0.0);
  }

  /// The share of positions removed, the largest `importance` first, when the decision changes.
  [[nodiscard]] double removed_by(Weights importance) const {
    std::vector<std::size_t> removed;
    while (removed.size() < own_.size()) {
      removed.push_back(largest_of(importance));
      importance[removed.back()] = -std::numeric_limits<double>::infinity();
      const Weights after = predicted(rescaled_without(own_, removed));
      if (largest_of(after) != largest_of(before_)) break;
    }
    return static_cast<double>(removed.size()) / static_cast<double>(own_.size());
  }

  std::shared_ptr<model::Seq2Seq> model_;
  Weights own_;
  Weights before_;
  MeasureValues values_;
};

TEST_P(WeightMeasures, ReplaceTheWeightsByTheirFormulas) {
  const std::size_t n = own_.size(), largest = largest_of(own_);
  Weights only(n), last(n), kept(n, (1 - own_[largest]) / static_cast<double>(n - 1));
  only[largest] = last.back() = 1.0;
  kept[largest] = own_[largest];
  expect_replacement(Measure::kept_uniform, Measure::tvd_uniform,
                     Weights(n, 1.0 / static_cast<double>(n)));
  expect_replacement(Measure::kept_without_largest, Measure::tvd_without_largest,
                     rescaled_without(own_, {largest}));
  expect_replacement(Measure::kept_only_largest, Measure::tvd_only_largest, only);
  expect_replacement(Measure::kept_last, Measure::tvd_last, last);
  expect_replacement(Measure::kept_largest_kept, Measure::tvd_largest_kept, kept);
}

TEST_P(WeightMeasures, PermuteSoThatTheLargestMoves) {
  Weights permutation = own_;
  std::sort(permutation.begin(), permutation.end());
  const Weights sorted = permutation;
  bool found = false;
  do {
    const Weights after = predicted(permutation);
    double distance = 0.0;
    for (std::size_t i = 0; i < after.size(); ++i) distance += std::abs(after[i] - before_[i]) / 2;
    const bool moves = largest_of(permutation) != largest_of(own_);
    found |= moves && std::abs(distance - values_[Measure::tvd_permuted]) < 1e-9;
  } while (std::next_permutation(permutation.begin(), permutation.end()));
  EXPECT_TRUE(found);
}

TEST_P(WeightMeasures, CountDecisionsKeptByAnyAndByAll) {
  double least = 1.0, most = 0.0;
  for (std::size_t i = 0; i < 6; ++i) {
    const double kept = values_[after(Measure::kept_permuted, i)];
    least = std::min(least, kept);
    most = std::max(most, kept);
  }
  EXPECT_EQ(values_[Measure::kept_by_any], most);
  EXPECT_EQ(values_[Measure::kept_by_all], least);
}

double jensen_shannon_of(const Weights& p, const Weights& q) {
  double sum = 0.0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    const double m = (p[i] + q[i]) / 2;
    sum += (p[i] * std::log(p[i] / m) + q[i] * std::log(q[i] / m)) / 2;
  }
  return sum;
}

TEST_P(WeightMeasures, EraseTheLargestAndAnotherWeight) {
  const std::size_t largest = largest_of(own_);
  const Weights after = predicted(rescaled_without(own_, {largest}));
  EXPECT_NEAR(values_[Measure::erased_js_largest], jensen_shannon_of(before_, after), 1e-10);
  EXPECT_EQ(values_[Measure::erased_changes_largest],
            largest_of(after) != largest_of(before_) ? 1.0 : 0.0);
  bool found = false;
  for (std::size_t other = 0; other < own_.size(); ++other) {
    const Weights without = predicted(rescaled_without(own_, {other}));
    found |= other != largest && std::abs(jensen_shannon_of(before_, without) -
                                          values_[Measure::erased_js_random]) < 1e-9;
  }
  EXPECT_TRUE(found);
}

TEST_P(WeightMeasures, RemoveWeightsUntilTheDecisionChanges) {
  EXPECT_EQ(values_[Measure::removed_by_attention], removed_by(own_));
  constexpr double kStep = 1e-5;
  const auto decision = static_cast<int64_t>(largest_of(before_));
  Weights gradient(own_.size()), product(own_.size());
  for (std::size_t s = 0; s < own_.size(); ++s) {
    Weights above = own_, below = own_;
    above[s] += kStep;
    below[s] -= kStep;
    gradient[s] = (std::log(predicted(above)[static_cast<std::size_t>(decision)]) -
                   std::log(predicted(below)[static_cast<std::size_t>(decision)])) /
                  (2 * kStep);
    product[s] = gradient[s] * own_[s];
  }
  EXPECT_EQ(values_[Measure::removed_by_gradient], removed_by(gradient));
  EXPECT_EQ(values_[Measure::removed_by_attention_gradient], removed_by(product));
  EXPECT_EQ(values_[Measure::removed_by_posterior], removed_by(reversed(own_)));
  EXPECT_TRUE(std::isnan(values_[Measure::removed_by_contributions])) << "there are none";
  EXPECT_TRUE(std::isnan(values_[Measure::removed_by_alti])) << "there are none";
  EXPECT_GE(values_[Measure::removed_by_random], 1.0 / static_cast<double>(own_.size()));
}

TEST_P(WeightMeasures, AreUndefinedForASourceOfOnePosition) {
  const WeightProbe probe(*model_, {}, {});
  MeasureValues values;
  Random random(1);
  add_weight_measures(probe, {{{1.0}}}, {"all", {{0}}}, {0, before_}, {}, random, values);
  for (const double value : values.all()) EXPECT_TRUE(std::isnan(value));
}

INSTANTIATE_TEST_SUITE_P(Positions, WeightMeasures, testing::Values(0, 1, 3));

}  // namespace
}  // namespace attend::app
