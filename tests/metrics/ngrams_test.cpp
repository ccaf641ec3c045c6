#include "metrics/ngrams.h"

#include <gmock/gmock.h>

namespace attend::metrics {

bool operator==(const NgramCount& a, const NgramCount& b) {
  return a.ngram == b.ngram && a.count == b.count;
}

namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(TokenNumbers, GivesEqualTokensEqualNumbersAcrossTexts) {
  TokenNumbers numbers;
  const std::vector<std::string_view> first{"a", "b", "a"};
  const std::vector<std::string_view> second{"c", "b"};
  EXPECT_THAT(numbers.number(first), ElementsAre(1, 2, 1));
  EXPECT_THAT(numbers.number(second), ElementsAre(3, 2));
}

TEST(CountNgrams, CountsRepeatedBigrams) {
  const std::vector<uint32_t> tokens{1, 2, 1, 2};
  EXPECT_THAT(count_ngrams(tokens, 2), ElementsAre(NgramCount{{1, 2}, 2}, NgramCount{{2, 1}, 1}));
}

TEST(CountNgrams, IsEmptyWhereTheTextIsTooShort) {
  const std::vector<uint32_t> tokens{1, 2};
  EXPECT_THAT(count_ngrams(tokens, 3), IsEmpty());
}

TEST(LargestCounts, TakesTheLargerCountOfEachNgram) {
  const std::vector<NgramCount> a{{{1}, 1}, {{2}, 5}};
  const std::vector<NgramCount> b{{{1}, 3}, {{3}, 2}};
  EXPECT_THAT(largest_counts(a, b),
              ElementsAre(NgramCount{{1}, 3}, NgramCount{{2}, 5}, NgramCount{{3}, 2}));
}

// "the the the the the the the" against "the cat is on the mat" (Papineni et al. 2002,
// section 2.1): 2 of 7.
TEST(ClippedMatches, ClipsAtTheReferenceCount) {
  const std::vector<NgramCount> hypothesis{{{1}, 7}};
  const std::vector<NgramCount> reference{{{1}, 2}, {{2}, 1}};
  EXPECT_EQ(clipped_matches(hypothesis, reference), 2);
}

}  // namespace
}  // namespace attend::metrics
