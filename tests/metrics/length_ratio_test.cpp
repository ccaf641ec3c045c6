#include "metrics/length_ratio.h"

#include <gmock/gmock.h>

namespace attend::metrics {
namespace {

using ::testing::StartsWith;
using Lines = std::vector<std::string>;

// 4 + 2 tokens against 2 (closer than 7) and 3.
TEST(LengthRatio, IsTokensDividedByThoseOfTheClosestReferences) {
  const References references{{"a b c d e f g", "x y z"}, {"a .", "x y z"}};
  const Score score = corpus_score(LengthRatio({}), Lines{"a, b.", "x y"}, references);
  EXPECT_DOUBLE_EQ(score.value, 6.0 / 5);
  EXPECT_EQ(score.details, "(hyp_len = 6 ref_len = 5)");
}

TEST(LengthRatio, UsesTheTokenizer) {
  const LengthRatio ratio({.tokenizer = "char"});
  EXPECT_DOUBLE_EQ(corpus_score(ratio, Lines{"abc"}, {{"a b"}}).value, 1.5);
  EXPECT_THAT(ratio.signature(1), StartsWith("nrefs:1|tok:char|version:"));
}

TEST(LengthRatio, IsZeroForEmptyReferences) {
  EXPECT_EQ(corpus_score(LengthRatio({}), Lines{"a"}, {{""}}).value, 0.0);
}

}  // namespace
}  // namespace attend::metrics
