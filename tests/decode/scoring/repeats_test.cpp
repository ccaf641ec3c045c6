#include "decode/scoring/repeats.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <utility>

#include "decode/search/search.h"
#include "tests/decode/table_model.h"

namespace attend::decode {
namespace {

using test::Tokens;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

TEST(RepeatingTokens, AreThoseThatFollowedTheLastOnesBefore) {
  const Tokens tokens = {4, 5, 6, 4, 5, 7, 4, 5};
  EXPECT_THAT(repeating_tokens(tokens, 3), UnorderedElementsAre(6, 7));
  EXPECT_THAT(repeating_tokens(tokens, 2), UnorderedElementsAre(6, 7));
  EXPECT_THAT(repeating_tokens(tokens, 4), IsEmpty());  // "7 4 5" occurs once
  EXPECT_THAT(repeating_tokens(Tokens{4, 5, 6, 8, 4, 5, 6}, 4), ElementsAre(8));
}

TEST(RepeatingTokens, OfRunsThatOverlap) {
  EXPECT_THAT(repeating_tokens(Tokens{4, 4}, 3), IsEmpty());
  EXPECT_THAT(repeating_tokens(Tokens{4, 4, 4}, 3), ElementsAre(4));
}

TEST(RepeatingTokens, OfSizeOneAreAllThatStandThere) {
  EXPECT_THAT(repeating_tokens(Tokens{}, 1), IsEmpty());
  EXPECT_THAT(repeating_tokens(Tokens{4, 6, 5}, 1), UnorderedElementsAre(4, 5, 6));
}

TEST(RepeatingTokens, OfSizesBeyondTheOutputAreNone) {
  EXPECT_THAT(repeating_tokens(Tokens{4, 4}, 4), IsEmpty());
  EXPECT_THAT(repeating_tokens(Tokens{}, 1'000'000), IsEmpty());
}

/// Token 4 with probability 0.9, 5 with 0.08, kEos with 0.02.
test::TableModel stutterer() {
  test::Table table;
  table.probabilities = [](const Tokens&, const Tokens&) {
    return std::vector{0.0, 0.0, 0.0, 0.02, 0.9, 0.08};
  };
  return test::TableModel(std::move(table));
}

SearchOptions without_repeats(int64_t beam, int64_t size) {
  SearchOptions options;
  options.decoding.beam = beam;
  options.decoding.max_length_ratio = 0.0;
  options.decoding.no_repeat_ngram_size = size;
  return options;
}

// Greedy: 4; a second 4 makes the run 4 4; a third would repeat it, so 5; then 4, since 5 4 is new;
// then both 4 4 and 4 5 have occurred.
TEST(SearchWithoutRepeats, TakesTheNextProbableToken) {
  const auto found =
      search(stutterer(), test::sentences_of(test::make_sources({3})), without_repeats(1, 2));

  EXPECT_THAT(found[0][0].tokens, ElementsAre(4, 4, 5, 4));
  EXPECT_TRUE(found[0][0].finished);
  EXPECT_NEAR(found[0][0].log_prob, 3 * std::log(0.9) + std::log(0.08) + std::log(0.02), 1e-5);
}

TEST(SearchWithoutRepeats, KeepsThoseOfThePrefix) {
  auto input = test::sentences_of(test::make_sources({3}));
  input[0].prefix = {5, 5, 5};

  const auto found = search(stutterer(), input, without_repeats(1, 2));

  EXPECT_THAT(found[0][0].tokens, ElementsAre(5, 5, 5, 4, 4, 5));
}

TEST(SearchWithoutRepeats, DrawsNone) {
  const test::TableModel model(test::scrambled_table(7, 2));
  auto options = without_repeats(1, 2);
  options.sampling = SamplingOptions{};
  options.n_best = 50;

  const auto found = search(model, test::sentences_of(test::make_sources({4})), options);

  ASSERT_THAT(found[0], SizeIs(50));
  for (const auto& hypothesis : found[0]) EXPECT_FALSE(test::has_repeat(hypothesis.tokens, 2));
}

TEST(SearchWithoutRepeats, FindsTheSameInABatchAsOneByOne) {
  const test::TableModel model(test::scrambled_table(7, 21));
  const auto sources = test::make_sources({9, 1, 4, 2, 30});
  auto options = without_repeats(4, 2);
  options.n_best = 3;

  const auto together = search(model, test::sentences_of(sources), options);

  for (std::size_t s = 0; s < sources.size(); ++s) {
    const auto alone = search(model, test::sentences_of({sources[s]}), options);
    ASSERT_THAT(together[s], SizeIs(3));
    for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(together[s][i].tokens, alone[0][i].tokens);
  }
}

}  // namespace
}  // namespace attend::decode
