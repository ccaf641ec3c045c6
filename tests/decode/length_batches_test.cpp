#include "decode/length_batches.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <numeric>

namespace attend::decode {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

using Lengths = std::vector<std::size_t>;

TEST(LengthBatches, PutsLongLinesFirstAndKeepsTheOrderOfEquals) {
  EXPECT_THAT(length_batches(Lengths{3, 9, 3, 7, 1}, {.size = 2}),
              ElementsAre(ElementsAre(1, 3), ElementsAre(0, 2), ElementsAre(4)));
}

// A batch of 4 holds 4 * 128 = 512 pieces: two lines of up to 250, or three of 150, 129 and 128
// padded to 150.
TEST(LengthBatches, OfLongLinesAreSmaller) {
  EXPECT_THAT(length_batches(Lengths{250, 240, 150, 129, 128}, {.size = 4}),
              ElementsAre(ElementsAre(0, 1), ElementsAre(2, 3, 4)));
  EXPECT_THAT(length_batches(Lengths{128, 128, 128, 128, 1}, {.size = 4}),
              ElementsAre(ElementsAre(0, 1, 2, 3), ElementsAre(4)));
  EXPECT_THAT(length_batches(Lengths{5000, 4000}, {.size = 4}),
              ElementsAre(ElementsAre(0), ElementsAre(1)));
}

// With an end symbol each, 9 and 8 pieces make 2 x 10 tokens, and 4, 4, 3 and 1 make 4 x 5.
TEST(LengthBatches, InTokensCountEndSymbolsAndPadding) {
  const Lengths lengths{9, 4, 8, 4, 3, 1, 1};
  EXPECT_THAT(length_batches(lengths, {.size = 20, .in_tokens = true}),
              ElementsAre(ElementsAre(0, 2), ElementsAre(1, 3, 4, 5), ElementsAre(6)));
  EXPECT_THAT(length_batches(lengths, {.size = 19, .in_tokens = true}),
              ElementsAre(ElementsAre(0), ElementsAre(2, 1), ElementsAre(3, 4, 5), ElementsAre(6)));
}

TEST(LengthBatches, InTokensHoldALineThatAloneIsLonger) {
  EXPECT_THAT(length_batches(Lengths{20, 3, 9, 3}, {.size = 9, .in_tokens = true}),
              ElementsAre(ElementsAre(0), ElementsAre(2), ElementsAre(1, 3)));
}

/// Size of a padded batch; each line counts `ends` more than its pieces.
std::size_t padded(const std::vector<std::size_t>& batch, const Lengths& lengths,
                   std::size_t ends) {
  std::size_t longest = 0;
  for (const std::size_t line : batch) longest = std::max(longest, lengths[line]);
  return batch.size() * (longest + ends);
}

TEST(LengthBatches, BoundWhatABatchHoldsAndLoseNoLine) {
  Lengths lengths;
  for (std::size_t i = 0; i < 500; ++i) lengths.push_back(i * i % 1009);
  for (const bool in_tokens : {false, true}) {
    const std::size_t most = in_tokens ? 2000 : 16 * kWholeBatchLength;
    Lengths seen;
    for (const auto& batch : length_batches(lengths, {in_tokens ? 2000 : 16, in_tokens})) {
      seen.insert(seen.end(), batch.begin(), batch.end());
      EXPECT_LE(padded(batch, lengths, in_tokens ? 1 : 0), most);
    }
    std::ranges::sort(seen);
    Lengths all(lengths.size());
    std::iota(all.begin(), all.end(), 0);
    EXPECT_EQ(seen, all);
  }
}

// 20 batches of 16 lines, or of 2,048 / 32 lines if 31 pieces and an end are assumed per line.
TEST(BatchSize, SaysHowManyLinesToReadAhead) {
  EXPECT_EQ((BatchSize{.size = 16}).window(), 320);
  EXPECT_EQ((BatchSize{.size = 2048, .in_tokens = true}).window(), 1280);
  EXPECT_EQ((BatchSize{.size = 1, .in_tokens = true}).window(), 20);
}

TEST(LengthBatches, AreNoneWithoutLines) {
  EXPECT_THAT(length_batches({}, {.size = 4}), IsEmpty());
}

}  // namespace
}  // namespace attend::decode
