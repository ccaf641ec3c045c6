#include "train/batch_stream.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "core/error.h"
#include "tests/train/tiny_run.h"

namespace attend::train {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

/// 17 pairs in batches of 4: five batches an epoch, however large the first one is.
BatchStream stream_of_17(uint64_t seed = 1) {
  return {test::copy_corpus(17), {.size = 4, .unit = data::BatchUnit::sentences}, seed};
}

std::vector<int64_t> lines(const std::vector<data::Batch>& batches) {
  std::vector<int64_t> all;
  for (const auto& batch : batches) all.insert(all.end(), batch.lines.begin(), batch.lines.end());
  return all;
}

TEST(BatchStream, HandsOutEveryPairOnceAnEpoch) {
  BatchStream stream = stream_of_17();
  auto epoch = lines(stream.next(100));
  std::sort(epoch.begin(), epoch.end());
  std::vector<int64_t> expected(17);
  for (int64_t line = 1; line <= 17; ++line) expected[static_cast<std::size_t>(line - 1)] = line;
  EXPECT_EQ(epoch, expected);
}

TEST(BatchStream, DoesNotMixEpochs) {
  BatchStream stream = stream_of_17();
  EXPECT_EQ(stream.next(3).size(), 3U);
  EXPECT_EQ(stream.next(3).size(), 2U);
  EXPECT_EQ(stream.position().epoch, 1);
  EXPECT_EQ(stream.position().batch, 0);
  EXPECT_EQ(stream.next(3).size(), 3U);
}

TEST(BatchStream, CountsEpochsWithTheirFractions) {
  BatchStream stream = stream_of_17();
  EXPECT_DOUBLE_EQ(stream.epochs(), 0.0);
  static_cast<void>(stream.next(2));
  EXPECT_DOUBLE_EQ(stream.epochs(), 0.4);
  static_cast<void>(stream.next(3));
  EXPECT_DOUBLE_EQ(stream.epochs(), 1.0);
}

TEST(BatchStream, ShufflesEveryEpochAnew) {
  BatchStream stream = stream_of_17();
  EXPECT_NE(lines(stream.next(5)), lines(stream.next(5)));
}

TEST(BatchStream, GoesOnFromAnyPosition) {
  BatchStream whole = stream_of_17();
  static_cast<void>(whole.next(5));
  static_cast<void>(whole.next(2));
  BatchStream resumed = stream_of_17();
  resumed.seek(whole.position());
  EXPECT_DOUBLE_EQ(resumed.epochs(), 1.4);
  EXPECT_EQ(lines(resumed.next(3)), lines(whole.next(3)));
  EXPECT_EQ(lines(resumed.next(5)), lines(whole.next(5)));
}

/// 17 pairs in pools of at most 6. Each epoch has other pieces: the first source piece is 100 +
/// epoch.
BatchStream cut_stream() {
  const auto cut = [](const data::ParallelCorpus& corpus, std::span<const int64_t> pairs,
                      uint64_t epoch) {
    data::CutPairs result{{{}}, {}};
    for (const int64_t pair : pairs) {
      result.sources[0].push_back({static_cast<text::TokenId>(100 + epoch)});
      result.targets.push_back(corpus.target(pair));
    }
    return result;
  };
  return {test::copy_corpus(17),
          {.size = 4, .unit = data::BatchUnit::sentences},
          1,
          cut,
          {.pool = 6, .block = 2}};
}

TEST(BatchStream, GoesThroughThePoolsOfAnEpoch) {
  BatchStream stream = cut_stream();
  auto epoch = lines(stream.next(100));
  EXPECT_EQ(stream.position().epoch, 1);
  EXPECT_EQ(stream.position().pool, 0);
  ASSERT_EQ(epoch.size(), 17U);
  std::sort(epoch.begin(), epoch.end());
  for (std::size_t i = 0; i < 17; ++i) EXPECT_EQ(epoch[i], static_cast<int64_t>(i + 1));
}

TEST(BatchStream, CountsTheEpochByThePairsOfItsPools) {
  BatchStream stream = cut_stream();
  double before = 0.0;
  while (stream.position().epoch == 0) {
    (void)stream.next(1);
    EXPECT_GT(stream.epochs(), before);
    before = stream.epochs();
  }
  EXPECT_DOUBLE_EQ(before, 1.0);
}

TEST(BatchStream, CutsTheBatchesOfAnEpochForThatEpoch) {
  BatchStream stream = cut_stream();
  for (int i = 0; i < 12; ++i) {
    const int64_t epoch = stream.position().epoch;
    for (const auto& batch : stream.next(1))
      EXPECT_EQ(batch.source().ids[0][0].item<int64_t>(), 100 + epoch);
  }
  EXPECT_GE(stream.position().epoch, 1);
}

TEST(BatchStream, GoesOnFromAnyPositionInAnyPool) {
  BatchStream whole = cut_stream();
  for (int i = 0; i < 15; ++i) {
    const DataPosition position = whole.position();
    BatchStream resumed = cut_stream();
    ASSERT_TRUE(resumed.seek(position));
    EXPECT_DOUBLE_EQ(resumed.epochs(), whole.epochs());
    const auto expected = whole.next(1);
    const auto batches = resumed.next(1);
    EXPECT_EQ(lines(batches), lines(expected));
    EXPECT_TRUE(batches.at(0).source().ids.equal(expected.at(0).source().ids));
  }
}

TEST(BatchStream, RefusesAnEmptyCorpus) {
  BatchStream stream(test::copy_corpus(0), {}, 1);
  EXPECT_THAT([&] { static_cast<void>(stream.next(1)); },
              ThrowsMessage<DataError>(HasSubstr("no training pairs")));
}

TEST(BatchStream, BeginsAnEpochAnewThatHasAnotherNumberOfBatches) {
  for (const DataPosition& position : {DataPosition{1, 3, 6}, DataPosition{1, 5, 0}}) {
    BatchStream stream = stream_of_17();
    EXPECT_FALSE(stream.seek(position));
    EXPECT_EQ(stream.position().epoch, 1);
    EXPECT_EQ(stream.position().batch, 0);
    EXPECT_EQ(lines(stream.next(100)).size(), 17U);
  }
}

TEST(BatchStream, GoesOnInAnEpochWithItsNumberOfBatches) {
  BatchStream stream = stream_of_17();
  static_cast<void>(stream.next(3));
  EXPECT_EQ(stream.position().batches, 5);
  BatchStream other = stream_of_17();
  EXPECT_TRUE(other.seek(stream.position()));
  EXPECT_EQ(lines(other.next(1)), lines(stream.next(1)));
}

}  // namespace
}  // namespace attend::train
