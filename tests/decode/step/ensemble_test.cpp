#include "decode/step/ensemble.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/decode/table_model.h"

namespace attend::decode {
namespace {

using test::Tokens;

/// The same distribution and attention at every step, for sources of one token and kEos.
test::Table fixed_table(std::vector<double> probabilities, std::vector<float> attention) {
  test::Table table;
  table.vocabulary = static_cast<int64_t>(probabilities.size());
  table.probabilities = [=](const Tokens&, const Tokens&) { return probabilities; };
  if (!attention.empty()) table.attention = [=](const Tokens&, const Tokens&) { return attention; };
  return table;
}

StepScores first_step(const Ensemble& ensemble) {
  const auto sources = test::make_sources({1});
  const std::vector batches(ensemble.sources(), data::pad(sources));
  return ensemble.start(batches)->step(torch::tensor({int64_t{text::kBos}}));
}

TEST(Ensemble, AveragesProbabilities) {
  const test::TableModel a(fixed_table({0.2, 0.8, 0.0}, {}));
  const test::TableModel b(fixed_table({0.6, 0.3, 0.1}, {}));

  const auto scores = first_step(Ensemble({{&a}, {&b}}));

  EXPECT_TRUE(torch::allclose(scores.logits.exp(), torch::tensor({{0.4F, 0.55F, 0.05F}})));
}

TEST(Ensemble, AveragesTheAttentionOverTheSamePieces) {
  const test::TableModel a(fixed_table({0.5, 0.5}, {1.F, 0.F}));
  const test::TableModel b(fixed_table({0.5, 0.5}, {0.5F, 0.5F}));
  const test::TableModel other_pieces(fixed_table({0.5, 0.5}, {0.F, 1.F}));
  const test::TableModel none(fixed_table({0.5, 0.5}, {}));

  const auto scores = first_step(Ensemble({{&a}, {&b}, {&other_pieces, false}, {&none}}));

  EXPECT_TRUE(torch::allclose(scores.weights, torch::tensor({{0.75F, 0.25F}})));
}

TEST(Ensemble, WeighsProbabilitiesAndAttention) {
  const test::TableModel a(fixed_table({0.2, 0.8, 0.0}, {1.F, 0.F}));
  const test::TableModel b(fixed_table({0.6, 0.3, 0.1}, {0.5F, 0.5F}));
  const test::TableModel c(fixed_table({1.0, 0.0, 0.0}, {}));

  const auto scores = first_step(Ensemble({{&a, true, 3.0}, {&b, true, 1.0}, {&c, true, 4.0}}));

  // (3 a + b + 4 c) / 8, and (3 a + b) / 4 of those with attention
  EXPECT_TRUE(torch::allclose(scores.logits.exp(), torch::tensor({{0.65F, 0.3375F, 0.0125F}})));
  EXPECT_TRUE(torch::allclose(scores.weights, torch::tensor({{0.875F, 0.125F}})));
}

TEST(Ensemble, OfEqualWeightsIsTheEnsembleWithout) {
  const test::TableModel a(fixed_table({0.2, 0.7, 0.1}, {1.F, 0.F}));
  const test::TableModel b(fixed_table({0.6, 0.3, 0.1}, {0.3F, 0.7F}));

  const auto plain = first_step(Ensemble({{&a}, {&b}}));
  const auto equal = first_step(Ensemble({{&a, true, 0.3}, {&b, true, 0.3}}));

  EXPECT_TRUE(torch::equal(equal.logits, plain.logits));
  EXPECT_TRUE(torch::equal(equal.weights, plain.weights));
}

TEST(Ensemble, HasNoAttentionIfTheFirstMemberHasNone) {
  const test::TableModel none(fixed_table({0.5, 0.5}, {}));
  const test::TableModel b(fixed_table({0.5, 0.5}, {0.5F, 0.5F}));

  EXPECT_FALSE(first_step(Ensemble({{&none}, {&b}})).weights.defined());
}

TEST(Ensemble, OfOneModelTwiceSearchesLikeThatModel) {
  const test::TableModel model(test::scrambled_table(12, 9));
  const test::TableModel copy(test::scrambled_table(12, 9));
  const auto sources = test::make_sources({3, 5, 8});
  SearchOptions options;
  options.n_best = 4;

  const auto expected = search(model, test::sentences_of(sources), options);
  const auto found =
      search(Ensemble({{&model}, {&copy}}), test::twice(test::sentences_of(sources)), options);

  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t s = 0; s < expected.size(); ++s) {
    ASSERT_EQ(found[s].size(), 4U);
    for (std::size_t i = 0; i < 4; ++i) {
      EXPECT_EQ(found[s][i].tokens, expected[s][i].tokens);
      EXPECT_NEAR(found[s][i].score, expected[s][i].score, 1e-5);
      EXPECT_TRUE(torch::allclose(found[s][i].attention, expected[s][i].attention));
    }
  }
}

TEST(Ensemble, LeavesOutTheAttentionOfEachMember) {
  const test::TableModel a(test::scrambled_table(12, 9)), b(test::scrambled_table(12, 8));
  const auto input = test::twice(test::sentences_of(test::make_sources({3, 5})));
  SearchOptions options;
  options.keep_attention = false;
  const auto found = search(Ensemble({{&a}, {&b}}), input, options);

  EXPECT_FALSE(found[0][0].attention.defined());
  EXPECT_EQ(a.sessions_without_attention(), 1);
  EXPECT_EQ(b.sessions_without_attention(), 1);
}

}  // namespace
}  // namespace attend::decode
