#include "align/segment_shares.h"

#include <gmock/gmock.h>

#include "align/attention_json.h"

namespace attend::align {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

AttentionMatrix two_segments() {
  return {.target = {"x", "</s>"},
          .source = {"\u2581a", "|", "\u2581b", "\u2581c", "</s>"},
          .weights = WeightTable(2, 5, {0.5F, 0.25F, 0.125F, 0.125F, 0, 0, 0, 0.25F, 0.25F, 0.5F}),
          .heads = {}};
}

TEST(SegmentShares, AddUpTheTokensBetweenSeparators) {
  EXPECT_EQ(segment_shares(two_segments(), "|"), WeightTable(2, 2, {0.75F, 0.25F, 0, 1}));
  AttentionMatrix matrix = two_segments();
  matrix.source[1] = "\u2581|";  // as a word tokenizer writes it
  EXPECT_EQ(segment_shares(matrix, "|"), WeightTable(2, 2, {0.75F, 0.25F, 0, 1}));
  EXPECT_EQ(segment_shares(matrix, "x"), WeightTable(2, 1, {1, 1}));
}

// Each source ends with a symbol; the last one's is the end symbol of the line.
TEST(SegmentShares, EndWithTheLine) {
  AttentionMatrix matrix = two_segments();
  matrix.source[1] = "</s>";
  EXPECT_EQ(segment_shares(matrix, "</s>"), WeightTable(2, 2, {0.75F, 0.25F, 0, 1}));
}

std::string json_of(const AttentionMatrix& matrix, const std::string& separator) {
  AttentionRecord record;
  record.separator = separator;
  return attention_json(record, matrix);
}

TEST(SegmentShares, AreInRecordsWithSegments) {
  EXPECT_THAT(json_of(two_segments(), "|"), HasSubstr(R"("segments":[[0.75,0.25],[0.0,1.0]])"));
  EXPECT_THAT(json_of(two_segments(), ""), Not(HasSubstr("segments")));
  AttentionMatrix without = two_segments();
  without.weights = {};
  EXPECT_THAT(json_of(without, "|"), Not(HasSubstr("segments")));
}

}  // namespace
}  // namespace attend::align
