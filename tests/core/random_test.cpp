#include "core/random.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <set>

#include "core/splitmix.h"

namespace attend {
namespace {

using ::testing::ElementsAre;
using ::testing::UnorderedElementsAreArray;

// First outputs of the reference code for the state {1, 2, 3, 4}; the first two by hand:
// rotl(2 * 5, 7) * 9 = 1280 * 9 = 11520; then s[1] = 2 ^ (3 ^ 1) = 0, so rotl(0) * 9 = 0.
TEST(Random, EqualsTheReferenceCode) {
  Random random(Random::State{1, 2, 3, 4});
  EXPECT_EQ(random.bits(), 11520U);
  EXPECT_EQ(random.bits(), 0U);
  EXPECT_EQ(random.bits(), 1509978240U);
  EXPECT_EQ(random.bits(), 1215971899390074240U);
}

// splitmix64 seeded with 1234567: first outputs as published with its reference code.
TEST(Random, IsSeededThroughSplitmix64) {
  EXPECT_THAT(Random(1234567).state(), ElementsAre(6457827717110365317U, 3203168211198807973U,
                                                   9817491932198370423U, 4593380528125082431U));
}

TEST(Random, ContinuesFromASavedState) {
  Random random(7);
  random.bits();
  Random restored(random.state());
  EXPECT_EQ(restored.bits(), random.bits());
}

TEST(Random, UniformIsAtLeastZeroAndBelowOne) {
  Random random(1);
  double sum = 0.0;
  for (int i = 0; i < 10000; ++i) {
    const double x = random.uniform();
    ASSERT_GE(x, 0.0);
    ASSERT_LT(x, 1.0);
    sum += x;
  }
  EXPECT_NEAR(sum / 10000, 0.5, 0.02);  // seven standard errors of sqrt(1/12/10000)
}

TEST(Random, BelowHitsEveryValueAboutEquallyOften) {
  Random random(1);
  std::vector<int> counts(5);
  for (int i = 0; i < 10000; ++i) ++counts.at(random.below(5));
  for (const int count : counts) EXPECT_NEAR(count, 2000, 200);  // five standard errors of 40
}

TEST(Random, ShuffleKeepsTheElementsAndMovesThem) {
  std::vector<int> numbers(100);
  std::iota(numbers.begin(), numbers.end(), 0);
  std::vector<int> shuffled = numbers;
  Random(3).shuffle(shuffled);
  EXPECT_THAT(shuffled, UnorderedElementsAreArray(numbers));
  EXPECT_NE(shuffled, numbers);
}

TEST(Stream, DependsOnSeedNameAndIndex) {
  const std::set<uint64_t> seeds = {stream_seed(1, "shuffle", 0), stream_seed(2, "shuffle", 0),
                                    stream_seed(1, "dropout", 0), stream_seed(1, "shuffle", 1),
                                    stream_seed(0, "shuffle", 1)};
  EXPECT_EQ(seeds.size(), 5U);
  EXPECT_EQ(stream_seed(1, "shuffle", 3), stream_seed(1, "shuffle", 3));
}

// splitmix64 from seed 1234567: check values published with many implementations.
TEST(NumberedKey, IsTheSequenceOfSplitMix64) {
  EXPECT_EQ(numbered_key(1234567, 0), 6457827717110365317U);
  EXPECT_EQ(numbered_key(1234567, 1), 3203168211198807973U);
  EXPECT_EQ(numbered_key(1234567, 2), 9817491932198370423U);
}

}  // namespace
}  // namespace attend
