#include "app/explain/adversary.h"

#include <gtest/gtest.h>
#include <torch/utils.h>

#include <algorithm>
#include <cmath>

#include "metrics/faithfulness/distances.h"
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

/// One word and the end symbol. With two positions, all weights lie between the own ones and one
/// end.
const Tokens kOneWord = {4};
const Tokens kItsTarget = {8, 4};

class Adversary : public testing::TestWithParam<std::size_t> {
 protected:
  [[nodiscard]] Weights predicted(const Weights& weights) const {
    return probabilities_of(scores_with(*model_, kOneWord, kItsTarget, GetParam(), weights));
  }

  [[nodiscard]] Weights towards(std::size_t end, double share) const {
    Weights weights = own_;
    for (std::size_t i = 0; i < 2; ++i)
      weights[i] = (1 - share) * own_[i] + (i == end ? share : 0.0);
    return weights;
  }

  /// The largest share of the way to `end` with the same prediction, in small steps.
  [[nodiscard]] double reached(std::size_t end) const {
    double share = 0.0;
    while (share < 1.0 &&
           metrics::total_variation(
               before_, predicted(towards(end, std::min(1.0, share + 1e-3)))) <= kSamePrediction)
      share = std::min(1.0, share + 1e-3);
    return share;
  }

  [[nodiscard]] double divergence(std::size_t end, double share) const {
    return metrics::jensen_shannon(own_, towards(end, std::max(0.0, share)));
  }

  std::shared_ptr<model::Seq2Seq> model_ = small_model(small_options(model::WiringKind::luong));
  Weights own_ = own_weights(*model_, kOneWord, kItsTarget, GetParam());
  Weights before_ = predicted(own_);
};

TEST_P(Adversary, ComesAsFarAsAWalkInSmallSteps) {
  WeightProbe probe(*model_, kOneWord, kItsTarget);
  for (std::size_t t = 0; t < GetParam(); ++t) probe.advance();
  Random random(1);
  const double found =
      adversarial_divergence(probe, {{own_}}, {"all", {{0}}}, {0, before_}, random);
  double least = 0.0, most = 0.0;
  for (const std::size_t end : {0U, 1U}) {
    const double share = reached(end);
    least = std::max(least, divergence(end, share < 1.0 ? share - 1.0 / 64 : 1.0));
    most = std::max(most, divergence(end, share + 1e-3));
  }
  EXPECT_GE(found, least - 1e-9);
  EXPECT_LE(found, most + 1e-9);
}

INSTANTIATE_TEST_SUITE_P(Positions, Adversary, testing::Values(0, 1, 2));

}  // namespace
}  // namespace attend::app
