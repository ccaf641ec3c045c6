#include "metrics/ngrams.h"

#include <gmock/gmock.h>

#include <map>

#include "core/random.h"

namespace attend::metrics {
namespace {

using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;
using Texts = std::vector<std::vector<uint32_t>>;

TEST(TokenNumbers, GivesEqualTokensEqualNumbersAcrossTexts) {
  TokenNumbers numbers;
  const std::vector<std::string_view> first{"a", "b", "a"};
  const std::vector<std::string_view> second{"c", "b"};
  EXPECT_THAT(numbers.number(first), ElementsAre(1, 2, 1));
  EXPECT_THAT(numbers.number(second), ElementsAre(3, 2));
}

// Bigrams of 1 2 1 2: (1 2) twice and (2 1); of 2 1 3: (2 1) and (1 3).
TEST(NgramNumbers, CountsTheNgramsOfEveryText) {
  NgramNumbers ngrams(Texts{{1, 2, 1, 2}, {2, 1, 3}});
  ngrams.next_order();
  ngrams.next_order();
  EXPECT_THAT(ngrams.counts(0), UnorderedElementsAre(2, 1, 0));
  EXPECT_THAT(ngrams.counts(1), UnorderedElementsAre(0, 1, 1));
  EXPECT_EQ(clipped_matches(ngrams.counts(0), ngrams.counts(1)), 1U);
}

TEST(NgramNumbers, HasNoneIfTheTextIsTooShort) {
  NgramNumbers ngrams(Texts{{1, 2}, {}});
  for (const std::size_t expected : {2U, 1U, 0U, 0U}) {
    ngrams.next_order();
    EXPECT_EQ(ngrams.total(0), expected);
    EXPECT_EQ(ngrams.total(1), 0U);
  }
}

// Compares with counting in an ordered map. Few symbols and large symbols make n-grams and hash
// slots collide often.
TEST(NgramNumbers, AgreesWithCountingInAMap) {
  Random random(1);
  Texts texts(2);
  for (auto& text : texts) {
    for (int i = 0; i < 300; ++i) text.push_back(static_cast<uint32_t>(0x10ff00 + random.below(3)));
  }
  NgramNumbers ngrams(texts);
  for (std::size_t order = 1; order <= 7; ++order) {
    ngrams.next_order();
    std::map<std::vector<uint32_t>, std::pair<uint32_t, uint32_t>> counts;
    for (std::size_t i = 0; i + order <= 300; ++i) {
      const auto at = static_cast<std::ptrdiff_t>(i);
      const auto size = static_cast<std::ptrdiff_t>(order);
      ++counts[{texts[0].begin() + at, texts[0].begin() + at + size}].first;
      ++counts[{texts[1].begin() + at, texts[1].begin() + at + size}].second;
    }
    uint64_t expected = 0;
    for (const auto& [ngram, both] : counts) expected += std::min(both.first, both.second);
    EXPECT_EQ(clipped_matches(ngrams.counts(0), ngrams.counts(1)), expected) << order;
  }
}

// "a a b", "a b b", "b": the smaller counts of the unigrams a and b.
TEST(NgramNumbers, ClipsTheMatchesOfAllPairs) {
  NgramNumbers ngrams(Texts{{1, 1, 2}, {1, 2, 2}, {2}});
  ngrams.next_order();
  EXPECT_THAT(ngrams.matches_of_all(), ElementsAre(3, 2, 1, 2, 3, 1, 1, 1, 1));
  ngrams.next_order();  // aa ab; ab bb; none
  EXPECT_THAT(ngrams.matches_of_all(), ElementsAre(2, 1, 0, 1, 2, 0, 0, 0, 0));
}

// "the the the the the the the" against "the cat is on the mat" (Papineni et al. 2002,
// section 2.1): 2 of 7.
TEST(ClippedMatches, ClipsAtTheReferenceCount) {
  const std::vector<uint32_t> hypothesis{7, 0};
  const std::vector<uint32_t> reference{2, 1};
  EXPECT_EQ(clipped_matches(hypothesis, reference), 2U);
}

}  // namespace
}  // namespace attend::metrics
