#include "decode/attention/posterior.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/utils.h>

#include <limits>
#include <stdexcept>
#include <string>
#include <tuple>

#include "core/error.h"
#include "decode/forced/forced.h"
#include "nn/execution.h"
#include "tests/decode/small_pairs.h"
#include "tests/support/scored_model.h"
#include "tests/support/tensors.h"

namespace attend::decode {
namespace {

using model::WiringKind;
using test::Sentences;
using test::small_model;
using test::small_options;
using test::small_sources;
using test::small_targets;
using test::TensorEq;
using test::TensorNear;
using ::testing::SizeIs;
using Maps = std::vector<torch::Tensor>;

Maps posteriors_of(const model::Seq2Seq& model) {
  return posterior(model, data::pad(small_sources()), small_targets());
}

// Regression: the rows were zeros.
TEST(Posterior, ReportsWeightsThatAreNotNumbers) {
  const auto model = small_model(small_options(WiringKind::luong));
  const torch::NoGradGuard no_gradients;
  for (auto& parameter : model->parameters())
    parameter.fill_(std::numeric_limits<double>::quiet_NaN());
  EXPECT_THROW((void)posteriors_of(*model), NumericError);
}

// Regression: an internal error, since no sentence had a position to choose.
TEST(Posterior, IsTheOnlyPositionWithWeightInAWindow) {
  model::ModelOptions options = small_options(WiringKind::luong);
  options.attention.scope = nn::ScopeKind::local_m;
  options.attention.window = 1;
  options.attention.distribution = nn::DistributionKind::hard;
  const auto model = small_model(options);
  const Sentences source = {{4, 9, 10, 6, 5}}, target = {{8, 4, 7, 8, 4, 7}};
  const Maps maps = posterior(*model, data::pad(source), target);
  ASSERT_THAT(maps, SizeIs(1));
  const auto forced = force_decode(*model, data::pad(source), target, /*keep_attention=*/true);
  EXPECT_THAT(maps.front(), TensorNear(forced.front().attention, 1e-6));
}

/// Memory that consists only of position s.
nn::PreparedMemory only(const nn::PreparedMemory& memory, int64_t s) {
  return {{memory.memory.keys.narrow(1, s, 1), memory.memory.values.narrow(1, s, 1),
           memory.memory.mask.narrow(1, s, 1), torch::ones({1}, torch::kInt64)},
          memory.keys.narrow(1, s, 1),
          {},
          {}};
}

/// Computes the definition for one pair: each position's joint probability from a source of that
/// position alone.
torch::Tensor expected_map(const model::Seq2Seq& model, std::size_t pair,
                           nn::PreparedMemory (*alone_at)(const nn::PreparedMemory&,
                                                          int64_t) = only) {
  const torch::NoGradGuard no_grad;
  std::vector<text::TokenId> words = small_targets()[pair];
  words.push_back(text::kEos);
  const model::Encoded encoded = model.encode(data::pad(Sentences{small_sources()[pair]}));
  model::DecoderState state = encoded.start;
  torch::Tensor before = torch::tensor({int64_t{text::kBos}});
  std::vector<torch::Tensor> rows;
  for (const text::TokenId word : words) {
    const model::Predicted step = model.step(before, encoded.memories, state);
    torch::Tensor row = torch::zeros({step.weights.size(1)}, torch::kFloat64);
    for (int64_t s = 0; s < row.size(0); ++s) {
      const auto alone = model.step(before, {alone_at(encoded.memories.front(), s)}, state)
                             .logits.log_softmax(1)[0][word];
      row[s] = step.weights[0][s] * alone.exp();
    }
    rows.push_back(row / row.sum());
    state = step.state;
    before = torch::tensor({int64_t{word}});
  }
  return torch::stack(rows);
}

/// Each wiring with fused kernels, which read a source of one position, and with plain operations,
/// which mask the other positions.
class Posterior : public testing::TestWithParam<std::tuple<WiringKind, bool>> {
 protected:
  std::shared_ptr<model::Seq2Seq> model_ = small_model(small_options(std::get<0>(GetParam())));
  nn::ExecutionScope scope_{{.fused = std::get<1>(GetParam())}};
};

TEST_P(Posterior, EqualsBayesRuleOverSourcesOfOnePosition) {
  const Maps maps = posteriors_of(*model_);
  ASSERT_THAT(maps, SizeIs(3));
  for (std::size_t pair = 0; pair < maps.size(); ++pair) {
    const torch::Tensor expected = expected_map(*model_, pair);
    ASSERT_GT(expected.min().item<double>(), 2e-3) << "posterior() would leave out smaller values";
    EXPECT_THAT(maps[pair].to(torch::kFloat64), TensorNear(expected, 1e-6)) << "pair " << pair;
  }
}

TEST_P(Posterior, OfTheTargetsWordsIsThatOfTheTarget) {
  const Maps maps = posteriors_of(*model_);
  for (std::size_t pair = 0; pair < maps.size(); ++pair) {
    std::vector<text::TokenId> source = small_sources()[pair], words = small_targets()[pair];
    source.pop_back();
    words.push_back(text::kEos);
    EXPECT_THAT(posterior_of_words(*model_, source, small_targets()[pair], words),
                TensorNear(maps[pair], 1e-6));
  }
}

// The prefix of a word is the same if only the last word differs.
TEST_P(Posterior, OfAnotherWordIsThatOfATargetWithThisWord) {
  const std::vector<text::TokenId> source = {4, 9, 10, 5}, target = {8, 4};
  const Maps expected =
      posterior(*model_, data::frame_sources({source}), Sentences{std::vector{8, 7}});
  const torch::Tensor map =
      posterior_of_words(*model_, source, target, std::vector<text::TokenId>{8, 7, 5});
  EXPECT_THAT(map.slice(0, 0, 2), TensorNear(expected.front().slice(0, 0, 2), 1e-6));
}

TEST_P(Posterior, IsTheSameInABatchAsOneByOne) {
  const Maps together = posteriors_of(*model_);
  for (std::size_t pair = 0; pair < together.size(); ++pair) {
    const Maps alone = posterior(*model_, data::pad(Sentences{small_sources()[pair]}),
                                 Sentences{small_targets()[pair]});
    EXPECT_THAT(together[pair], TensorNear(alone.front(), 1e-6)) << "pair " << pair;
  }
}

INSTANTIATE_TEST_SUITE_P(Wirings, Posterior,
                         testing::Combine(testing::Values(WiringKind::bahdanau,
                                                          WiringKind::conditional,
                                                          WiringKind::luong),
                                          testing::Bool()),
                         [](const auto& test) {
                           return std::string(enum_name(std::get<0>(test.param))) +
                                  (std::get<1>(test.param) ? "_fused" : "_plain");
                         });

TEST(PosteriorByHand, IsTheAttentionWhereThePredictionIsTheSameFromEverywhere) {
  const auto model = small_model(small_options(WiringKind::conditional));
  test::set_parameter(*model, "output.weight",
                      torch::zeros_like(test::parameter(*model, "output.weight"), torch::kFloat64));
  const Maps maps = posteriors_of(*model);
  const auto forced = force_decode(*model, data::pad(small_sources()), small_targets(), true);
  for (std::size_t pair = 0; pair < maps.size(); ++pair)
    EXPECT_THAT(maps[pair], TensorNear(forced[pair].attention, 1e-6)) << "pair " << pair;
}

TEST(PosteriorByHand, LeavesOutWhereTheModelHardlyLooks) {
  const auto model = small_model(small_options(WiringKind::conditional));
  torch::Tensor vector = test::parameter(*model, "decoder.attention.score.vector").clone();
  test::set_parameter(*model, "decoder.attention.score.vector", vector * 200);
  const Maps maps = posteriors_of(*model);
  const auto forced = force_decode(*model, data::pad(small_sources()), small_targets(), true);
  int64_t left_out = 0;
  for (std::size_t pair = 0; pair < maps.size(); ++pair) {
    const torch::Tensor heaviest = forced[pair].attention.amax(1, /*keepdim=*/true);
    const torch::Tensor hidden = forced[pair].attention.lt(heaviest * 1e-3);
    left_out += hidden.sum().item<int64_t>();
    EXPECT_THAT(maps[pair].masked_select(hidden),
                TensorEq(torch::zeros({hidden.sum().item<int64_t>()})));
    EXPECT_THAT(maps[pair].sum(1), TensorNear(torch::ones({maps[pair].size(0)}), 1e-6));
  }
  EXPECT_GT(left_out, 0);
}

// Regression: if each of 1200 positions had less than a thousandth, the whole row was 0 and `align`
// linked nothing.
TEST(PosteriorByHand, KeepsTheHeaviestHoweverLittleTheyWeigh) {
  const auto model = small_model(small_options(WiringKind::conditional));
  const torch::Tensor vector = test::parameter(*model, "decoder.attention.score.vector").clone();
  test::set_parameter(*model, "decoder.attention.score.vector", torch::zeros_like(vector));
  Sentences source{std::vector<text::TokenId>(1199, 5)};
  source[0].push_back(text::kEos);
  const Maps maps = posterior(*model, data::pad(source), Sentences{{6}});
  EXPECT_THAT(maps[0].sum(1), TensorNear(torch::ones({2}), 1e-6));
}

TEST(PosteriorWithHeads, AttendsWithAllOfThemToOnePosition) {
  model::ModelOptions options = small_options(WiringKind::luong);
  options.attention.heads = 2;
  const auto model = small_model(options);
  const Maps maps = posteriors_of(*model);
  const auto forced = force_decode(*model, data::pad(small_sources()), small_targets(), true);
  for (std::size_t pair = 0; pair < maps.size(); ++pair)
    EXPECT_THAT(maps[pair].sum(1), TensorNear(torch::ones({maps[pair].size(0)}), 1e-6));
  EXPECT_FALSE(torch::allclose(maps[0], forced[0].attention, 1e-3, 1e-3));
}

/// The whole memory with all positions but s masked.
nn::PreparedMemory showing(const nn::PreparedMemory& memory, int64_t s) {
  nn::PreparedMemory hidden = memory;
  hidden.memory.mask = torch::zeros_like(memory.memory.mask);
  hidden.memory.mask.select(1, s).fill_(true);
  return hidden;
}

// Attention depends on the previous step's attention at neighbouring positions, so a source of one
// position alone would give another result.
TEST(PosteriorOfAFusedScoreThatMixesPositions, HidesTheOthersInsteadOfLeavingThemOut) {
  const model::ModelOptions options = small_options(WiringKind::luong);
  const auto model = test::model_with_score(
      options, 11, 11,
      std::make_shared<test::HistoryScore>(
          nn::ScoreSizes{model::recurrent_decoder(options).hidden,
                         std::get<model::RecurrentEncoderOptions>(options.encoder).output_size()}));
  test::randomize(*model, 3);
  model->eval();
  ASSERT_TRUE(model->steps_are_fused());
  ASSERT_FALSE(model->is_pointwise());
  const Maps maps = posteriors_of(*model);
  const nn::ExecutionScope plain({.fused = false});
  for (std::size_t pair = 0; pair < maps.size(); ++pair) {
    EXPECT_THAT(maps[pair].to(torch::kFloat64),
                TensorNear(expected_map(*model, pair, showing), 1e-6))
        << "pair " << pair;
  }
}

TEST(PosteriorErrors, ATrainingModelNoAttentionAndUnequalSizesAreBugs) {
  EXPECT_THROW((void)posteriors_of(*small_model(small_options(WiringKind::none))),
               std::logic_error);
  const auto model = small_model(small_options(WiringKind::luong));
  EXPECT_THROW((void)posterior(*model, data::pad(small_sources()), Sentences{{4}}),
               std::logic_error);
  model->train();
  EXPECT_THROW((void)posteriors_of(*model), std::logic_error);
}

}  // namespace
}  // namespace attend::decode
