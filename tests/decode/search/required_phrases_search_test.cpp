// Search with required phrases.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <set>
#include <stdexcept>

#include "core/error.h"
#include "decode/scoring/shortlist.h"
#include "decode/search/search.h"
#include "decode/step/ensemble.h"
#include "tests/decode/required_oracle.h"
#include "tests/decode/table_model.h"

namespace attend::decode {
namespace {

using test::all_of;
using test::Tokens;
using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::SizeIs;

constexpr int64_t kRoom = 10;  // pieces beyond the prefix and the required ones, for a ratio of 0

SearchOptions required_options(int64_t beam, int64_t n_best) {
  SearchOptions options;
  options.decoding.beam = beam;
  options.decoding.max_length_ratio = 0.0;
  options.n_best = n_best;
  return options;
}

std::shared_ptr<const RequiredPhrases> shared(RequiredPhrases required) {
  return std::make_shared<const RequiredPhrases>(std::move(required));
}

/// The same sentences, each with these required phrases.
std::vector<SearchSentence> requiring(std::vector<SearchSentence> sentences,
                                      const RequiredPhrases& required) {
  for (auto& sentence : sentences) sentence.required = shared(required);
  return sentences;
}

struct Output {
  Tokens tokens;
  double score = 0.0;
};

/// Adds every output that continues `tokens` by at most `left` tokens and contains the phrases.
void enumerate_required(const test::Table& table, const Tokens& source, double length_penalty,
                        const RequiredPhrases& required, const Tokens& tokens, int64_t left,
                        std::vector<Output>& all) {
  if (test::contains(tokens, required)) {
    const double length = static_cast<double>(tokens.size() + 1);
    all.push_back(
        {tokens, test::log_prob_of(table, source, tokens) / std::pow(length, length_penalty)});
  }
  for (text::TokenId next = text::kEos + 1; left > 0 && next < table.vocabulary; ++next) {
    Tokens longer = tokens;
    longer.push_back(next);
    enumerate_required(table, source, length_penalty, required, longer, left - 1, all);
  }
}

/// The outputs with the phrases, best first.
std::vector<Output> all_required(const test::Table& table, const Tokens& source,
                                 double length_penalty, const RequiredPhrases& required,
                                 const Tokens& prefix, int64_t left) {
  std::vector<Output> all;
  enumerate_required(table, source, length_penalty, required, prefix, left, all);
  std::ranges::sort(all, std::ranges::greater(), &Output::score);
  return all;
}

void expect_outputs(const NBest& found, const std::vector<Output>& expected, std::size_t count) {
  ASSERT_THAT(found, SizeIs(count));
  for (std::size_t i = 0; i < count; ++i) {
    EXPECT_EQ(found[i].tokens, expected[i].tokens) << "rank " << i;
    EXPECT_NEAR(found[i].score, expected[i].score, 1e-5) << "rank " << i;
  }
}

struct Demand {
  const char* name;
  RequiredPhrases required;
  double length_penalty = 1.0;
  Tokens prefix = {};
};

std::ostream& operator<<(std::ostream& stream, const Demand& demand) {
  return stream << demand.name;
}

class SearchWithAllRequired : public ::testing::TestWithParam<Demand> {};

// The vocabulary has two words, and the limit is 10 pieces plus the required ones, at most 14; so
// all 2^15 - 1 outputs fit into the beam. Nothing is pruned.
TEST_P(SearchWithAllRequired, EqualsExhaustiveSearch) {
  const auto& [name, required, length_penalty, prefix] = GetParam();
  const test::TableModel model(test::scrambled_table(6, 3));
  const auto sources = test::make_sources({2, 5});
  auto options = required_options(1 << 15, 7);
  options.decoding.length_penalty = length_penalty;
  auto input = requiring(test::sentences_of(sources), required);
  for (auto& sentence : input) sentence.prefix = prefix;

  const auto found = search(model, input, options);

  for (std::size_t s = 0; s < sources.size(); ++s) {
    const auto expected = all_required(model.table(), sources[s], length_penalty, required, prefix,
                                       kRoom + required.longest());
    expect_outputs(found[s], expected, 7);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Demands, SearchWithAllRequired,
    ::testing::Values(
        Demand{"Phrase", all_of({{5, 4, 5}})}, Demand{"OneToken", all_of({{4}})},
        Demand{"SumOfLogProbs", all_of({{4, 4}}), 0.0},
        Demand{"LongOutputs", all_of({{5, 5}}), 2.5},
        Demand{"Overlapping", all_of({{4, 5}, {5, 4}})}, Demand{"Twice", all_of({{5, 5}, {5, 5}})},
        Demand{"Alternatives", {.groups = {{{{4, 4, 4}, false}, {{5, 5, 4}, false}}}}},
        Demand{"AtAWordsEnd",
               {.groups = {{{{4}, true}}},
                .continues_word = std::make_shared<std::vector<char>>(std::vector<char>{0, 0, 0, 0,
                                                                                        0, 1})}},
        Demand{"AfterAPrefix", all_of({{4, 4}}), 1.0, {5, 4}},
        Demand{"InThePrefix", all_of({{5}, {5, 4}}), 1.0, {5, 4}}),
    [](const auto& demand) { return demand.param.name; });

const std::vector<RequiredPhrases>& demands() {
  static const std::vector<RequiredPhrases> all = {
      all_of({{4, 5}, {5, 6}}),
      all_of({{7}, {7}}),
      all_of({{4, 4, 5, 4, 4}}),
      all_of({{8, 9, 10}, {11, 4}, {6}, {9, 9}}),
      {.groups = {{{{4, 5}, false}, {{6}, false}}, {{{12}, false}, {{5, 5}, false}}}},
      {.groups = {{{{4}, true}}, {{{5, 6}, true}}},
       .continues_word = std::make_shared<std::vector<char>>(
           std::vector<char>{0, 0, 0, 0, 0, 0, 1, 1, 1, 0, 0, 0, 0})}};
  return all;
}

class RequiredInASmallBeam : public ::testing::TestWithParam<int64_t> {};

TEST_P(RequiredInASmallBeam, IsInEveryHypothesis) {
  const test::TableModel model(test::scrambled_table(13, 5));
  const auto sources = test::make_sources({1, 4, 9});
  for (const RequiredPhrases& required : demands()) {
    const auto found = search(model, requiring(test::sentences_of(sources), required),
                              required_options(GetParam(), GetParam()));
    for (std::size_t s = 0; s < sources.size(); ++s) {
      ASSERT_FALSE(found[s].empty());
      std::set<Tokens> distinct;
      for (const Hypothesis& hypothesis : found[s]) {
        EXPECT_TRUE(test::contains(hypothesis.tokens, required));
        EXPECT_NEAR(hypothesis.log_prob,
                    test::log_prob_of(model.table(), sources[s], hypothesis.tokens), 1e-4);
        EXPECT_TRUE(distinct.insert(hypothesis.tokens).second);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Beams, RequiredInASmallBeam, ::testing::Values(1, 2, 5, 12));

TEST(RequiredSearch, FindsTheSameInABatchAsOneByOne) {
  const test::TableModel model(test::scrambled_table(13, 5));
  auto input = test::sentences_of(test::make_sources({3, 1, 6, 2, 5, 4}));
  for (std::size_t s = 0; s + 1 < input.size(); ++s) input[s].required = shared(demands()[s]);
  const auto options = required_options(4, 3);

  const auto together = search(model, input, options);

  for (std::size_t s = 0; s < input.size(); ++s) {
    const auto alone = search(model, {&input[s], 1}, options)[0];
    ASSERT_THAT(together[s], SizeIs(alone.size()));
    for (std::size_t i = 0; i < alone.size(); ++i) {
      EXPECT_EQ(together[s][i].tokens, alone[i].tokens);
      EXPECT_EQ(together[s][i].score, alone[i].score);
    }
  }
}

TEST(RequiredSearch, LeavesOtherSentencesOfTheBatchAlone) {
  const test::TableModel model(test::scrambled_table(13, 5));
  auto input = test::sentences_of(test::make_sources({3, 6}));
  const auto options = required_options(4, 4);
  const auto free = search(model, input, options);

  input[0].required = shared(all_of({{12, 11}}));
  const auto mixed = search(model, input, options);

  ASSERT_THAT(mixed[1], SizeIs(4));
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(mixed[1][i].tokens, free[1][i].tokens);
    EXPECT_EQ(mixed[1][i].score, free[1][i].score);
  }
  EXPECT_NE(mixed[0][0].tokens, free[0][0].tokens);
}

TEST(RequiredSearch, OfNothingIsThePlainSearchAsLongAsTheBeamIsWide) {
  const test::TableModel model(test::scrambled_table(6, 3));
  const auto input = test::sentences_of(test::make_sources({2, 5}));
  const auto options = required_options(2048, 5);

  const auto plain = search(model, input, options),
             required = search(model, requiring(input, {}), options);

  for (std::size_t s = 0; s < 2; ++s) {
    for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(plain[s][i].tokens, required[s][i].tokens);
  }
}

TEST(RequiredSearch, WorksWithAnEnsemble) {
  const test::TableModel a(test::scrambled_table(6, 3)), b(test::scrambled_table(6, 8));
  const auto sources = test::make_sources({3, 4});
  const RequiredPhrases required = all_of({{4, 4}});
  test::Table mean = a.table();
  mean.probabilities = [&](const Tokens& source, const Tokens& so_far) {
    auto shares = a.table().probabilities(source, so_far);
    const auto other = b.table().probabilities(source, so_far);
    for (std::size_t v = 0; v < shares.size(); ++v) shares[v] = (shares[v] + other[v]) / 2.0;
    return shares;
  };

  const auto found =
      search(Ensemble({{&a}, {&b}}), requiring(test::twice(test::sentences_of(sources)), required),
             required_options(1 << 13, 3));

  for (std::size_t s = 0; s < sources.size(); ++s)
    expect_outputs(found[s], all_required(mean, sources[s], 1.0, required, {}, kRoom + 2), 3);
}

TEST(RequiredSearch, AddsItsPiecesToTheShortlist) {
  const test::TableModel model(test::scrambled_table(13, 4));
  auto options = required_options(4, 4);
  options.shortlist = std::make_shared<Shortlist>(13, Tokens{4, 5}, std::vector<Tokens>());
  const RequiredPhrases required = all_of({{9, 12}});

  const auto found =
      search(model, requiring(test::sentences_of(test::make_sources({5, 2})), required), options);

  for (const NBest& n_best : found) {
    ASSERT_FALSE(n_best.empty());
    for (const Hypothesis& hypothesis : n_best) {
      EXPECT_TRUE(test::contains(hypothesis.tokens, required));
      EXPECT_THAT(hypothesis.tokens, Each(::testing::AnyOf(4, 5, 9, 12)));
    }
  }
}

// The phrase has 60 pieces; without it the limit is 10.
TEST(RequiredSearch, FindsRoomForPhrasesBeyondTheLengthLimit) {
  const test::TableModel model(test::scrambled_table(9, 4));
  Tokens phrase(60, 4);
  phrase.back() = 5;
  const RequiredPhrases required = all_of({phrase});

  const auto found = search(model, requiring(test::sentences_of(test::make_sources({2})), required),
                            required_options(3, 1));

  EXPECT_TRUE(test::contains(found[0][0].tokens, required));
  EXPECT_LE(found[0][0].tokens.size(), 70U);
}

TEST(RequiredSearch, MayRepeatARequiredPhrase) {
  const test::TableModel model(test::scrambled_table(13, 5));
  auto options = required_options(4, 4);
  options.decoding.no_repeat_ngram_size = 2;
  const RequiredPhrases required = all_of({{4, 5, 6}, {4, 5, 6}});

  const auto found =
      search(model, requiring(test::sentences_of(test::make_sources({5})), required), options);

  for (const Hypothesis& hypothesis : found[0])
    EXPECT_TRUE(test::contains(hypothesis.tokens, required));
}

/// Forbids one token anywhere.
class Without final : public OutputConstraint {
 public:
  explicit Without(text::TokenId token) : token_(token) {}
  void forbid(std::span<const text::TokenId>, torch::Tensor row) const override {
    row[token_].fill_(-std::numeric_limits<double>::infinity());
  }

 private:
  text::TokenId token_;
};

TEST(RequiredSearch, UsesNoForbiddenToken) {
  const test::TableModel model(test::scrambled_table(13, 5));
  auto input = requiring(test::sentences_of(test::make_sources({5, 2})),
                         {.groups = {{{{4, 5}, false}, {{6}, false}}}});
  for (auto& sentence : input) sentence.constraint = std::make_shared<Without>(5);

  for (const NBest& n_best : search(model, input, required_options(4, 4))) {
    for (const Hypothesis& hypothesis : n_best) {
      EXPECT_THAT(hypothesis.tokens, Contains(6));
      EXPECT_THAT(hypothesis.tokens, ::testing::Not(Contains(5)));
    }
  }
}

TEST(RequiredSearch, NamesAConflictWithForbiddenTokens) {
  const test::TableModel model(test::scrambled_table(13, 5));
  auto input = requiring(test::sentences_of(test::make_sources({5})), all_of({{4, 5}}));
  input[0].constraint = std::make_shared<Without>(5);
  EXPECT_THROW((void)search(model, input, required_options(4, 1)), UserError);
}

TEST(RequiredSearch, ExcludesSampling) {
  const test::TableModel model(test::scrambled_table(13, 5));
  auto options = required_options(4, 4);
  options.sampling = SamplingOptions{};
  const auto input = requiring(test::sentences_of(test::make_sources({5})), all_of({{4}}));
  EXPECT_THROW((void)search(model, input, options), std::logic_error);
}

}  // namespace
}  // namespace attend::decode
