#include "metrics/edit_distance.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <numeric>

#include "core/random.h"

namespace attend::metrics {
namespace {

using ::testing::ElementsAre;
using Words = std::vector<uint32_t>;

// The full matrix, without band, bound or reuse.
int64_t plain_distance(const Words& a, const Words& b) {
  std::vector<int64_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (const uint32_t word : a) {
    int64_t diagonal = row[0]++;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const int64_t replaced = diagonal + (word == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

Words random_words(Random& random, std::size_t length) {
  Words words;
  for (std::size_t i = 0; i < length; ++i) words.push_back(static_cast<uint32_t>(random.below(5)));
  return words;
}

TEST(BandedEditDistance, IsTheLevenshteinDistanceOfShortTexts) {
  Random random(3);
  for (int trial = 0; trial < 200; ++trial) {
    const Words reference = random_words(random, random.below(20));
    const Words hypothesis = random_words(random, random.below(20));
    EXPECT_EQ(BandedEditDistance(reference, hypothesis.size()).set_base(hypothesis),
              plain_distance(hypothesis, reference));
  }
}

TEST(BandedEditDistance, GivesTheDistanceOfAnotherHypothesisUpToTheLimit) {
  Random random(4);
  for (int trial = 0; trial < 200; ++trial) {
    const Words reference = random_words(random, 12);
    const Words base = random_words(random, 10);
    BandedEditDistance distances(reference, base.size());
    distances.set_base(base);
    const std::size_t same = random.below(10);
    Words other = base;
    for (std::size_t i = same; i < other.size(); ++i)
      other[i] = static_cast<uint32_t>(random.below(5));
    const int64_t expected = plain_distance(other, reference);
    EXPECT_EQ(distances.distance_within(other, same, expected), expected);
    EXPECT_EQ(distances.distance_within(other, same, expected - 1), std::nullopt);
  }
}

// Words shifted by 20 positions are kept, at the cost of dropping 20 words and adding 20. Words 28
// positions off the diagonal lie outside the band, although keeping them would be cheaper.
TEST(BandedEditDistance, ReachesAtMost25WordsFromTheDiagonal) {
  Words reference(60);
  std::iota(reference.begin(), reference.end(), 1U);
  Words near(60, 99);
  std::copy(reference.begin() + 20, reference.end(), near.begin());
  EXPECT_EQ(BandedEditDistance(reference, 60).set_base(near), 40);
  Words far(60, 99);
  std::copy(reference.begin() + 28, reference.end(), far.begin());
  EXPECT_EQ(plain_distance(far, reference), 56);
  EXPECT_EQ(BandedEditDistance(reference, 60).set_base(far), 60);
}

// Hypothesis a x c against a b c d: x replaces b, and d is missing after c.
TEST(BandedEditDistance, AlignsReferenceWordsWithHypothesisWords) {
  const Words reference{1, 2, 3, 4};
  BandedEditDistance distances(reference, 3);
  EXPECT_EQ(distances.set_base(Words{1, 9, 3}), 2);
  const WordAlignment alignment = distances.align();
  EXPECT_THAT(alignment.position, ElementsAre(0, 1, 2, 2));
  EXPECT_THAT(alignment.reference_error, ElementsAre(false, true, false, true));
  EXPECT_THAT(alignment.hypothesis_error, ElementsAre(false, true, false));
}

TEST(BandedEditDistance, AlignsAMissingFirstWordBeforeEverything) {
  const Words reference{1, 2};
  BandedEditDistance distances(reference, 2);
  EXPECT_EQ(distances.set_base(Words{2, 3}), 2);
  // Prefers the alignment that replaces both words to the equally cheap one that keeps 2.
  EXPECT_THAT(distances.align().position, ElementsAre(0, 1));
  BandedEditDistance longer(reference, 1);
  longer.set_base(Words{2});
  EXPECT_THAT(longer.align().position, ElementsAre(-1, 0));
}

}  // namespace
}  // namespace attend::metrics
