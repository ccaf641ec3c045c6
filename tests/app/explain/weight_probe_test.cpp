#include "app/explain/weight_probe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/utils.h>

#include "tests/app/explain/replaced_weights.h"
#include "tests/decode/small_pairs.h"
#include "tests/decode/small_transformer.h"
#include "tests/support/tensors.h"

namespace attend::app {
namespace {

using attend::test::small_model;
using attend::test::small_options;
using attend::test::TensorNear;
using model::WiringKind;
using test::own_weights;
using test::scores_with;
using test::Tokens;
using Weights = std::vector<double>;

const Tokens kProbedSource = {4, 9, 10, 5};
const Tokens kProbedTarget = {8, 4, 6};
const AttentionSite kOnly{"all", {{0}}};

WeightChange constant(Weights weights) {
  return [weights = std::move(weights)](std::span<const double>) { return weights; };
}

class ProbeOfWiring : public testing::TestWithParam<WiringKind> {
 protected:
  std::shared_ptr<model::Seq2Seq> model_ = small_model(small_options(GetParam()));
};

TEST_P(ProbeOfWiring, PredictsAsIfOnePositionHeldTheMixedValues) {
  const Weights first = {0.1, 0.2, 0.0, 0.3, 0.4}, second = {0, 0, 1, 0, 0};
  WeightProbe probe(*model_, kProbedSource, kProbedTarget);
  for (std::size_t t = 0; t <= kProbedTarget.size(); ++t) {
    if (t > 0) probe.advance();
    const Weights own = own_weights(*model_, kProbedSource, kProbedTarget, t);
    const torch::Tensor scores =
        probe.scores({{own}}, kOnly, std::vector{constant(first), constant(second)});
    EXPECT_THAT(scores[0],
                TensorNear(scores_with(*model_, kProbedSource, kProbedTarget, t, first), 1e-10));
    EXPECT_THAT(scores[1],
                TensorNear(scores_with(*model_, kProbedSource, kProbedTarget, t, second), 1e-10));
  }
}

double log_prob(const model::Seq2Seq& model, std::size_t t, const Weights& weights, int64_t token) {
  return scores_with(model, kProbedSource, kProbedTarget, t, weights)
      .log_softmax(0)[token]
      .item<double>();
}

TEST_P(ProbeOfWiring, HasTheGradientOfCentralDifferences) {
  constexpr double kStep = 1e-5;
  const std::size_t t = 2;
  WeightProbe probe(*model_, kProbedSource, kProbedTarget);
  probe.advance();
  probe.advance();
  const Weights own = own_weights(*model_, kProbedSource, kProbedTarget, t);
  const Weights gradient = probe.gradient({{own}}, kOnly, 7);
  ASSERT_EQ(gradient.size(), own.size());
  for (std::size_t s = 0; s < own.size(); ++s) {
    Weights above = own, below = own;
    above[s] += kStep;
    below[s] -= kStep;
    const double slope =
        (log_prob(*model_, t, above, 7) - log_prob(*model_, t, below, 7)) / (2 * kStep);
    EXPECT_NEAR(gradient[s], slope, 1e-6);
  }
}

/// Follows predicted_with() by steps with the model's own weights.
Writing written_with(const model::Seq2Seq& model, std::size_t t, const Weights& weights,
                     const Continues& continues) {
  const torch::NoGradGuard no_gradients;
  const model::Encoded encoded = model.encode(data::frame_sources({kProbedSource}));
  model::Predicted now = test::predicted_with(model, kProbedSource, kProbedTarget, t, weights);
  Writing writing;
  while (true) {
    const auto [best, token] = now.logits[0].softmax(0).max(0);
    const auto id = static_cast<text::TokenId>(token.item<int64_t>());
    if (!writing.tokens.empty() && !continues(writing.tokens.back(), id)) return writing;
    writing.tokens.push_back(id);
    writing.probability *= best.item<double>();
    if (id == text::kEos || writing.tokens.size() == 4) return writing;
    now = model.step(torch::tensor({int64_t{id}}), encoded.memories, now.state);
  }
}

TEST_P(ProbeOfWiring, WritesOnWithItsOwnWeightsUntilToldToEnd) {
  const std::vector<Weights> changed = {{0.1, 0.2, 0.0, 0.3, 0.4}, {0, 0, 1, 0, 0}};
  WeightProbe probe(*model_, kProbedSource, kProbedTarget);
  probe.advance();
  const Weights own = own_weights(*model_, kProbedSource, kProbedTarget, 1);
  const auto even = [](text::TokenId, text::TokenId next) { return next % 2 == 0; };
  const auto always = [](text::TokenId, text::TokenId) { return true; };
  for (const Continues& continues : {Continues(even), Continues(always)}) {
    const std::vector<Writing> found = probe.writings(
        {{own}}, kOnly, std::vector{constant(changed[0]), constant(changed[1])}, continues, 4);
    ASSERT_EQ(found.size(), changed.size());
    for (std::size_t i = 0; i < changed.size(); ++i) {
      const Writing expected = written_with(*model_, 1, changed[i], continues);
      EXPECT_EQ(found[i].tokens, expected.tokens);
      EXPECT_NEAR(found[i].probability, expected.probability, 1e-10);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Wirings, ProbeOfWiring,
                         testing::Values(WiringKind::luong, WiringKind::bahdanau,
                                         WiringKind::conditional),
                         [](const auto& test) { return std::string(enum_name(test.param)); });

/// The weights of both heads of small_transformer() at the first position.
HeadWeights first_weights(const model::Seq2Seq& model) {
  const torch::NoGradGuard no_gradients;
  const model::Encoded encoded = model.encode(data::frame_sources({kProbedSource}));
  const torch::Tensor heads =
      model.step(torch::tensor({int64_t{text::kBos}}), encoded.memories, encoded.start)
          .heads[0]
          .to(torch::kFloat64)
          .contiguous();
  HeadWeights weights(1);
  for (int64_t h = 0; h < heads.size(0); ++h)
    weights[0].emplace_back(heads[h].data_ptr<double>(),
                            heads[h].data_ptr<double>() + heads.size(1));
  return weights;
}

TEST(WeightProbe, LeavesHeadsOutsideTheSiteAlone) {
  const auto model = attend::test::small_transformer(12);
  const HeadWeights own = first_weights(*model);
  const WeightProbe probe(*model, kProbedSource, kProbedTarget);
  const AttentionSite second{"layer 1 head 2", {{1}}};
  const WeightChange same = [](std::span<const double> w) { return Weights(w.begin(), w.end()); };
  const WeightChange last = constant({0, 0, 0, 0, 1});
  const torch::Tensor scores = probe.scores(own, second, std::vector{same, last});
  const model::Encoded encoded = model->encode(data::frame_sources({kProbedSource}));
  const torch::NoGradGuard no_gradients;
  const torch::Tensor free =
      model->step(torch::tensor({int64_t{text::kBos}}), encoded.memories, encoded.start).logits[0];
  EXPECT_THAT(scores[0], TensorNear(free, 1e-5));
  // Both heads of the site {0, 1}, the first with its own weights.
  const WeightChange by_head = [&own](std::span<const double> w) {
    return w[0] == own[0][0][0] ? own[0][0] : Weights{0, 0, 0, 0, 1};
  };
  const torch::Tensor both = probe.scores(own, {"all", {{0, 1}}}, std::vector{by_head});
  EXPECT_THAT(scores[1], TensorNear(both[0], 1e-5));
  EXPECT_GT((scores[1] - free).abs().max().item<double>(), 1e-3);
}

}  // namespace
}  // namespace attend::app
