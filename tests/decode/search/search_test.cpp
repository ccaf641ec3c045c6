#include "decode/search/search.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "core/error.h"
#include "tests/decode/table_model.h"

namespace attend::decode {
namespace {

using test::Tokens;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::SizeIs;

constexpr int64_t kLimit = 10;  // length limit of the tests with a length ratio of 0

/// Options whose length limit is kLimit whatever the source.
SearchOptions options_with(int64_t beam, int64_t n_best) {
  SearchOptions options;
  options.decoding.beam = beam;
  options.decoding.max_length_ratio = 0.0;
  options.n_best = n_best;
  return options;
}

double coverage_penalty_of(const test::Table& table, const Tokens& source, const Tokens& tokens) {
  std::vector<double> coverage(source.size());
  for (std::size_t t = 0; t <= tokens.size(); ++t) {
    const auto row =
        table.attention(source, {tokens.begin(), tokens.begin() + static_cast<int64_t>(t)});
    for (std::size_t s = 0; s < coverage.size(); ++s) coverage[s] += static_cast<double>(row[s]);
  }
  double penalty = 0.0;
  for (const auto sum : coverage) penalty += std::log(std::min(sum, 1.0));
  return penalty;
}

struct Scored {
  Tokens tokens;
  double score = 0.0;
};

/// Adds every output that continues `tokens` by at most `left` tokens, scored by the formulas.
void enumerate(const test::Table& table, const Tokens& source, const DecodingOptions& options,
               const Tokens& tokens, int64_t left, std::vector<Scored>& all) {
  const auto length = static_cast<double>(tokens.size() + 1);
  double score =
      test::log_prob_of(table, source, tokens) / std::pow(length, options.length_penalty);
  if (options.coverage_penalty > 0.0) {
    score += options.coverage_penalty * coverage_penalty_of(table, source, tokens);
  }
  all.push_back({tokens, score});
  if (left == 0) return;
  for (text::TokenId next = text::kEos + 1; next < table.vocabulary; ++next) {
    auto longer = tokens;
    longer.push_back(next);
    const int64_t size = options.no_repeat_ngram_size;
    if (size > 0 && test::has_repeat(longer, size)) continue;
    enumerate(table, source, options, longer, left - 1, all);
  }
}

std::vector<Scored> exhaustive(const test::Table& table, const Tokens& source,
                               const DecodingOptions& options, const Tokens& prefix = {}) {
  std::vector<Scored> all;
  enumerate(table, source, options, prefix, kLimit, all);
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.score > b.score; });
  return all;
}

void expect_same(const NBest& found, const std::vector<Scored>& expected, std::size_t count) {
  ASSERT_THAT(found, SizeIs(count));
  for (std::size_t i = 0; i < count; ++i) {
    EXPECT_EQ(found[i].tokens, expected[i].tokens) << "rank " << i;
    EXPECT_NEAR(found[i].score, expected[i].score, 1e-5) << "rank " << i;
  }
}

struct Preferences {
  double length = 0.0;
  double coverage = 0.0;
  int64_t no_repeat = 0;
};

class BeamSearchWithAllHypotheses : public ::testing::TestWithParam<Preferences> {};

// With two allowed words, 2^0 + ... + 2^10 = 2047 outputs fit into the beam. Nothing is pruned, so
// only wrong early stopping or wrong scores can lose an output.
TEST_P(BeamSearchWithAllHypotheses, EqualsExhaustiveSearch) {
  const test::TableModel model(test::scrambled_table(6, 3));
  const auto sources = test::make_sources({2, 5});
  auto options = options_with(2048, 7);
  options.decoding.length_penalty = GetParam().length;
  options.decoding.coverage_penalty = GetParam().coverage;
  options.decoding.no_repeat_ngram_size = GetParam().no_repeat;

  const auto found = search(model, test::sentences_of(sources), options);

  ASSERT_THAT(found, SizeIs(2));
  for (std::size_t s = 0; s < 2; ++s) {
    expect_same(found[s], exhaustive(model.table(), sources[s], options.decoding), 7);
  }
}

INSTANTIATE_TEST_SUITE_P(Preferences, BeamSearchWithAllHypotheses,
                         ::testing::Values(Preferences{0.0, 0.0}, Preferences{1.0, 0.0},
                                           Preferences{2.5, 0.0}, Preferences{-0.5, 0.0},
                                           Preferences{0.6, 0.4}, Preferences{1.4, 0.0, 2},
                                           Preferences{0.6, 0.4, 3}));

/// The most probable token at each position, until kEos or the limit.
Tokens greedy(const test::Table& table, const Tokens& source) {
  Tokens tokens;
  while (static_cast<int64_t>(tokens.size()) < kLimit) {
    const auto probabilities = table.probabilities(source, tokens);
    const auto best = std::max_element(probabilities.begin() + text::kEos, probabilities.end());
    if (best == probabilities.begin() + text::kEos) break;
    tokens.push_back(static_cast<text::TokenId>(best - probabilities.begin()));
  }
  return tokens;
}

TEST(Search, WithABeamOfOneIsGreedy) {
  const test::TableModel model(test::scrambled_table(20, 5));
  const auto sources = test::make_sources({1, 2, 3, 4, 5, 6, 7, 8});

  const auto found = search(model, test::sentences_of(sources), options_with(1, 1));

  ASSERT_THAT(found, SizeIs(sources.size()));
  for (std::size_t s = 0; s < sources.size(); ++s) {
    ASSERT_THAT(found[s], SizeIs(1));
    EXPECT_EQ(found[s][0].tokens, greedy(model.table(), sources[s]));
  }
}

TEST(Search, ReturnsDistinctHypothesesBestFirst) {
  const test::TableModel model(test::scrambled_table(9, 11));

  const auto found =
      search(model, test::sentences_of(test::make_sources({3, 4, 9})), options_with(6, 6));

  for (const auto& hypotheses : found) {
    ASSERT_THAT(hypotheses, SizeIs(6));
    std::set<Tokens> different;
    for (const auto& hypothesis : hypotheses) different.insert(hypothesis.tokens);
    EXPECT_THAT(different, SizeIs(6));
    EXPECT_TRUE(std::is_sorted(hypotheses.begin(), hypotheses.end(),
                               [](const auto& a, const auto& b) { return a.score > b.score; }));
  }
}

TEST(Search, ScoresAreLogProbabilitiesOfTheTokensAndTheEnd) {
  const test::TableModel model(test::scrambled_table(9, 12));
  const auto sources = test::make_sources({3, 6});
  auto options = options_with(4, 4);
  options.decoding.length_penalty = 0.7;

  const auto found = search(model, test::sentences_of(sources), options);

  for (std::size_t s = 0; s < sources.size(); ++s) {
    ASSERT_THAT(found[s], SizeIs(4));
    for (const auto& hypothesis : found[s]) {
      const auto expected = test::log_prob_of(model.table(), sources[s], hypothesis.tokens);
      EXPECT_NEAR(hypothesis.log_prob, expected, 1e-5);
      const auto length = static_cast<double>(hypothesis.tokens.size() + 1);
      EXPECT_NEAR(hypothesis.score, expected / std::pow(length, 0.7), 1e-5);
    }
  }
}

TEST(Search, GivesTheLogProbabilityOfEachTokenAndOfTheEnd) {
  const test::TableModel model(test::scrambled_table(9, 12));
  const test::Table& table = model.table();
  const auto sources = test::make_sources({3, 6});
  auto sentences = test::sentences_of(sources);
  sentences[1].prefix = {5, 6};

  const auto found = search(model, sentences, options_with(4, 4));

  for (std::size_t s = 0; s < sources.size(); ++s) {
    for (const Hypothesis& hypothesis : found[s]) {
      Tokens so_far;
      Tokens all = hypothesis.tokens;
      all.push_back(text::kEos);
      ASSERT_THAT(hypothesis.token_log_probs, SizeIs(all.size()));
      for (std::size_t t = 0; t < all.size(); ++t) {
        const double expected =
            std::log(table.probabilities(sources[s], so_far).at(static_cast<std::size_t>(all[t])));
        EXPECT_NEAR(hypothesis.token_log_probs[t], expected, 1e-5) << "position " << t;
        so_far.push_back(all[t]);
      }
    }
  }
}

TEST(Search, FindsTheSameInABatchAsOneByOne) {
  const test::TableModel model(test::scrambled_table(12, 21));
  const auto sources = test::make_sources({9, 1, 4, 7, 2, 2, 30, 5, 3});
  SearchOptions options;
  options.n_best = 3;

  const auto together = search(model, test::sentences_of(sources), options);

  ASSERT_THAT(together, SizeIs(sources.size()));
  for (std::size_t s = 0; s < sources.size(); ++s) {
    const auto alone = search(model, test::sentences_of({sources[s]}), options);
    ASSERT_EQ(together[s].size(), alone[0].size());
    for (std::size_t i = 0; i < alone[0].size(); ++i) {
      EXPECT_EQ(together[s][i].tokens, alone[0][i].tokens);
      EXPECT_EQ(together[s][i].score, alone[0][i].score);
      EXPECT_TRUE(torch::equal(together[s][i].attention, alone[0][i].attention));
    }
  }
}

TEST(Search, NeverPutsOutPaddingStartOrUnknown) {
  auto table = test::scrambled_table(8, 1);
  table.probabilities = [](const Tokens&, const Tokens&) {
    return std::vector{0.3, 0.3, 0.3, 0.01, 0.03, 0.03, 0.02, 0.01};
  };
  const test::TableModel model(table);

  const auto found = search(model, test::sentences_of(test::make_sources({2})), options_with(5, 5));

  ASSERT_THAT(found[0], SizeIs(5));
  for (const auto& hypothesis : found[0]) {
    EXPECT_THAT(hypothesis.tokens, Each(::testing::Gt(text::kEos)));
  }
}

TEST(Search, PutsOutUnknownWhereAllowed) {
  auto table = test::scrambled_table(6, 1);
  table.probabilities = [](const Tokens&, const Tokens& so_far) {
    return so_far.empty() ? std::vector{0.0, 0.8, 0.0, 0.1, 0.05, 0.05}
                          : std::vector{0.0, 0.1, 0.0, 0.8, 0.05, 0.05};
  };
  auto options = options_with(1, 1);
  options.allow_unknown = true;

  const auto found =
      search(test::TableModel(table), test::sentences_of(test::make_sources({2})), options);

  EXPECT_THAT(found[0][0].tokens, ElementsAre(text::kUnk));
}

/// kEos with probability `end`, else token 4 or 5.
test::Table constant_table(double end) {
  test::Table table;
  table.probabilities = [=](const Tokens&, const Tokens&) {
    return std::vector{0.0, 0.0, 0.0, end, 0.6 * (1.0 - end), 0.4 * (1.0 - end)};
  };
  return table;
}

TEST(Search, CutsAtTheLengthLimitAndMarksIt) {
  SearchOptions options;
  options.decoding.beam = 2;
  options.decoding.max_length_ratio = 1.5;
  options.n_best = 2;

  const auto found = search(test::TableModel(constant_table(1e-6)),
                            test::sentences_of(test::make_sources({4, 1})), options);

  // 1.5 * 4 + 10 = 16 and 1.5 * 1 + 10 = 11.5 tokens, kEos not counted.
  EXPECT_THAT(found[0], Each(Field(&Hypothesis::tokens, SizeIs(16))));
  EXPECT_THAT(found[1], Each(Field(&Hypothesis::tokens, SizeIs(11))));
  EXPECT_THAT(found[0], Each(Field(&Hypothesis::finished, false)));
  EXPECT_NEAR(found[1][0].log_prob, 11 * std::log(0.6 * (1.0 - 1e-6)) + std::log(1e-6), 1e-4);
}

TEST(Search, DoesNotMarkAHypothesisThatEndsByItselfAtTheLimit) {
  auto table = constant_table(0.0);
  table.probabilities = [](const Tokens&, const Tokens& so_far) {
    const double end = so_far.size() == kLimit ? 0.9 : 1e-9;
    return std::vector{0.0, 0.0, 0.0, end, 0.9 * (1.0 - end), 0.1 * (1.0 - end)};
  };

  const auto found = search(test::TableModel(table), test::sentences_of(test::make_sources({3})),
                            options_with(1, 1));

  EXPECT_THAT(found[0][0].tokens, SizeIs(kLimit));
  EXPECT_TRUE(found[0][0].finished);
}

TEST(Search, StopsOnceNoHypothesisCanBecomeBetter) {
  auto options = options_with(3, 1);
  options.decoding.length_penalty = 0.0;
  const test::TableModel model(constant_table(0.7));

  const auto found = search(model, test::sentences_of(test::make_sources({3})), options);

  // The empty output has probability 0.7; anything else starts with at most 0.3.
  EXPECT_THAT(found[0][0].tokens, SizeIs(0));
  EXPECT_THAT(model.rows_per_step(), ElementsAre(1));
}

// The empty output scores ln 0.4 = -0.92. Token 4 starts at ln 0.1 = -2.3, which scores lower even
// over two tokens; but further tokens cost nothing, and over eleven tokens it scores -0.21.
TEST(Search, WaitsForALongOutputThatTheLengthPenaltyFavours) {
  auto table = constant_table(0.0);
  table.probabilities = [](const Tokens&, const Tokens& so_far) {
    if (so_far.empty()) return std::vector{0.5, 0.0, 0.0, 0.4, 0.1, 0.0};
    return so_far.size() == kLimit ? std::vector{0.0, 0.0, 0.0, 1.0, 0.0, 0.0}
                                   : std::vector{0.0, 0.0, 0.0, 0.0, 1.0, 0.0};
  };

  const auto found = search(test::TableModel(table), test::sentences_of(test::make_sources({3})),
                            options_with(2, 1));

  EXPECT_THAT(found[0][0].tokens, SizeIs(kLimit));
}

// Kept at each position: kEos .4, 4 .36, 5 .24; then "4 kEos" .144, "4 4" .130 (two places); then
// "4 4 kEos" .052 (one place).
TEST(Search, NarrowsABeamByOneWithEveryHypothesisThatEnds) {
  const test::TableModel model(constant_table(0.4));

  const auto found = search(model, test::sentences_of(test::make_sources({3})), options_with(3, 3));

  ASSERT_THAT(found[0], SizeIs(3));
  EXPECT_THAT(model.rows_per_step(), ElementsAre(1, 2, 1));
}

TEST(Search, DropsRowsOfSentencesThatAreDone) {
  auto table = constant_table(0.0);
  table.probabilities = [](const Tokens& source, const Tokens&) {
    const double end =
        source.front() == 11 ? 1e-6 : 0.9;  // every sentence but the second ends at once
    return std::vector{0.0, 0.0, 0.0, end, 0.6 * (1.0 - end), 0.4 * (1.0 - end)};
  };
  const test::TableModel model(table);

  (void)search(model, test::sentences_of(test::make_sources({2, 2, 2, 2})), options_with(1, 1));

  ASSERT_THAT(model.rows_per_step(), SizeIs(kLimit + 1));
  EXPECT_EQ(model.rows_per_step()[0], 4);
  EXPECT_EQ(model.rows_per_step()[1], 1);
}

class SearchAttention : public ::testing::TestWithParam<int64_t> {};

TEST_P(SearchAttention, HasARowPerTokenAndOneForTheEnd) {
  auto table = test::scrambled_table(9, 8);
  table.heads = 2;
  const auto sources = test::make_sources({3, 7, 5});

  const auto found = search(test::TableModel(table), test::sentences_of(sources),
                            options_with(GetParam(), GetParam()));

  for (std::size_t s = 0; s < sources.size(); ++s) {
    for (const auto& hypothesis : found[s]) {
      const auto rows = static_cast<int64_t>(hypothesis.tokens.size()) + 1;
      const auto columns = static_cast<int64_t>(sources[s].size());
      ASSERT_EQ(hypothesis.attention.sizes(), (torch::IntArrayRef{rows, columns}));
      for (int64_t t = 0; t < rows; ++t) {
        const Tokens so_far(hypothesis.tokens.begin(), hypothesis.tokens.begin() + t);
        EXPECT_TRUE(torch::equal(hypothesis.attention[t],
                                 torch::tensor(table.attention(sources[s], so_far))));
      }
      ASSERT_EQ(hypothesis.heads.sizes(), (torch::IntArrayRef{2, rows, columns}));
      EXPECT_TRUE(torch::equal(hypothesis.heads[1], 2 * hypothesis.attention));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Beams, SearchAttention, ::testing::Values(1, 2, 5, 13));

TEST(Search, GivesNoAttentionWhereTheModelHasNone) {
  const auto found = search(test::TableModel(constant_table(0.5)),
                            test::sentences_of(test::make_sources({3})), options_with(2, 2));

  EXPECT_FALSE(found[0][0].attention.defined());
}

TEST(Search, GivesNoAttentionThatIsNotAskedFor) {
  auto options = options_with(2, 2);
  options.keep_attention = false;

  const auto found = search(test::TableModel(test::scrambled_table(6, 1)),
                            test::sentences_of(test::make_sources({3})), options);

  EXPECT_FALSE(found[0][0].attention.defined());
}

TEST(Search, FindsTheBestOutputsThatBeginWithThePrefix) {
  const test::TableModel model(test::scrambled_table(6, 4));
  const auto sources = test::make_sources({2, 3, 4});
  auto input = test::sentences_of(sources);
  input[0].prefix = {5, 5, 4};
  input[2].prefix = {4};
  const auto options = options_with(2048, 5);

  const auto found = search(model, input, options);

  for (std::size_t s = 0; s < sources.size(); ++s) {
    expect_same(found[s], exhaustive(model.table(), sources[s], options.decoding, input[s].prefix),
                5);
  }
}

Tokens beginning(const Hypothesis& hypothesis, std::size_t count) {
  const auto& tokens = hypothesis.tokens;
  return {tokens.begin(), tokens.begin() + static_cast<int64_t>(std::min(count, tokens.size()))};
}

// Regression: for every n there was only one hypothesis, the prefix with a forced end.
TEST(Search, GoesOnBehindAPrefixThatReachesTheLimit) {
  for (const std::size_t length : {std::size_t{kLimit}, std::size_t{15}}) {
    auto input = test::sentences_of(test::make_sources({2}));
    input[0].prefix = Tokens(length, 5);

    const auto found = search(test::TableModel(constant_table(1e-6)), input, options_with(4, 3));

    ASSERT_THAT(found[0], SizeIs(3));
    std::set<Tokens> distinct;
    for (const auto& hypothesis : found[0]) {
      EXPECT_EQ(beginning(hypothesis, length), input[0].prefix);
      EXPECT_THAT(hypothesis.tokens, SizeIs(length + 10));
      EXPECT_FALSE(hypothesis.finished);
      distinct.insert(hypothesis.tokens);
    }
    EXPECT_THAT(distinct, SizeIs(3));
  }
}

TEST(Search, EndsBehindAPrefixThatReachesTheLimitIfThatIsBest) {
  auto input = test::sentences_of(test::make_sources({2}));
  input[0].prefix = Tokens(15, 5);
  auto table = constant_table(0.0);
  table.probabilities = [](const Tokens&, const Tokens& so_far) {
    const double end = so_far.size() == 15 ? 0.9 : 1e-3;
    return std::vector{0.0, 0.0, 0.0, end, 0.6 * (1.0 - end), 0.4 * (1.0 - end)};
  };

  const auto found = search(test::TableModel(table), input, options_with(3, 1));

  EXPECT_EQ(found[0][0].tokens, Tokens(15, 5));
  EXPECT_TRUE(found[0][0].finished);
}

TEST(Search, ReportsOutputThatIsNotFinite) {
  auto table = constant_table(0.5);
  table.probabilities = [](const Tokens&, const Tokens&) {
    return std::vector<double>(6, std::nan(""));
  };

  EXPECT_THROW((void)search(test::TableModel(table), test::sentences_of(test::make_sources({2})),
                            options_with(2, 1)),
               NumericError);
}

// Regression: the hypothesis was dropped, and the next best was returned with exit code 0.
TEST(Search, ReportsASingleHypothesisThatIsNotFinite) {
  auto table = constant_table(0.5);
  const auto finite = table.probabilities;
  table.probabilities = [finite](const Tokens& source, const Tokens& so_far) {
    const bool spoilt = !so_far.empty() && so_far.front() == text::kSpecialSymbols + 1;
    return spoilt ? std::vector<double>(6, std::nan("")) : finite(source, so_far);
  };

  EXPECT_THROW((void)search(test::TableModel(table), test::sentences_of(test::make_sources({2})),
                            options_with(3, 1)),
               NumericError);
}

SearchOptions sampling_options(int64_t draws) {
  auto options = options_with(1, draws);
  options.sampling.emplace();
  return options;
}

TEST(Sampling, DoesNotDependOnTheBatch) {
  const test::TableModel model(test::scrambled_table(30, 2));
  const auto sources = test::make_sources({4, 2, 9, 6});
  const auto together = search(model, test::sentences_of(sources), sampling_options(4));

  for (std::size_t s = 0; s < sources.size(); ++s) {
    auto input = test::sentences_of({sources[s]});
    input[0].random_stream = s;
    const auto alone = search(model, input, sampling_options(4));
    ASSERT_THAT(together[s], SizeIs(4));
    ASSERT_THAT(alone[0], SizeIs(4));
    for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(together[s][i].tokens, alone[0][i].tokens);
  }
}

TEST(Sampling, DrawsWholeOutputsWithTheirProbability) {
  const int64_t kDraws = 20000;
  const auto found = search(test::TableModel(constant_table(0.5)),
                            test::sentences_of(test::make_sources({2})), sampling_options(kDraws));

  ASSERT_THAT(found[0], SizeIs(kDraws));
  const auto share = [&](const Tokens& tokens) {
    const auto count = std::count_if(found[0].begin(), found[0].end(),
                                     [&](const auto& h) { return h.tokens == tokens; });
    return static_cast<double>(count) / static_cast<double>(kDraws);
  };
  // Four standard deviations of a share near 0.5 are 0.014.
  EXPECT_NEAR(share({}), 0.5, 0.015);
  EXPECT_NEAR(share({4}), 0.3 * 0.5, 0.011);
  EXPECT_NEAR(share({5, 4}), 0.2 * 0.3 * 0.5, 0.005);
}

TEST(Sampling, ScoresWithTheModelsOwnProbabilities) {
  const test::TableModel model(test::scrambled_table(12, 6));
  const auto sources = test::make_sources({5});
  auto options = sampling_options(6);
  options.sampling->temperature = 0.5;
  options.sampling->top_k = 3;

  const auto found = search(model, test::sentences_of(sources), options);

  ASSERT_THAT(found[0], SizeIs(6));
  for (const auto& hypothesis : found[0]) {
    EXPECT_NEAR(hypothesis.log_prob,
                test::log_prob_of(model.table(), sources[0], hypothesis.tokens), 1e-5);
  }
}

// Regression: one draw was returned instead of twenty.
TEST(Sampling, DrawsBehindAPrefixThatReachesTheLimit) {
  auto input = test::sentences_of(test::make_sources({5}));
  input[0].prefix = Tokens(15, 5);

  const auto found = search(test::TableModel(constant_table(0.3)), input, sampling_options(20));

  ASSERT_THAT(found[0], SizeIs(20));
  for (const auto& hypothesis : found[0]) EXPECT_EQ(beginning(hypothesis, 15), Tokens(15, 5));
}

TEST(Sampling, KeepsThePrefix) {
  auto input = test::sentences_of(test::make_sources({5}));
  input[0].prefix = {5, 4, 5};

  const auto found = search(test::TableModel(constant_table(0.3)), input, sampling_options(20));

  ASSERT_THAT(found[0], SizeIs(20));
  for (const auto& hypothesis : found[0]) {
    ASSERT_GE(hypothesis.tokens.size(), 3U);
    EXPECT_EQ(Tokens(hypothesis.tokens.begin(), hypothesis.tokens.begin() + 3), (Tokens{5, 4, 5}));
  }
}

TEST(Search, ComputesAttentionOnlyIfItIsKeptOrPenalised) {
  const auto sessions_without = [](bool keep, double coverage_penalty) {
    const test::TableModel model(test::scrambled_table(12, 9));
    SearchOptions options;
    options.keep_attention = keep;
    options.decoding.coverage_penalty = coverage_penalty;
    (void)search(model, test::sentences_of(test::make_sources({3, 5})), options);
    return model.sessions_without_attention();
  };
  EXPECT_EQ(sessions_without(true, 0.0), 0);
  EXPECT_EQ(sessions_without(false, 0.3), 0);
  EXPECT_EQ(sessions_without(false, 0.0), 1);
}

}  // namespace
}  // namespace attend::decode
