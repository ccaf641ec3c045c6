#include "metrics/exact_match.h"

#include <gmock/gmock.h>

namespace attend::metrics {
namespace {

using Lines = std::vector<std::string>;

TEST(ExactMatch, CountsLinesEqualToAnyReference) {
  const References references{{"a", "b", "c"}, {"x", "y", "z"}};
  const Score score = corpus_score(ExactMatch(false), Lines{"a", "y", "b"}, references);
  EXPECT_NEAR(score.value, 100.0 * 2 / 3, 1e-9);
  EXPECT_EQ(score.details, "(2 of 3 lines)");
}

TEST(ExactMatch, IgnoresWhitespaceAtTheEndOnly) {
  EXPECT_EQ(corpus_score(ExactMatch(false), Lines{"a b "}, {{"a b"}}).value, 100.0);
  EXPECT_EQ(corpus_score(ExactMatch(false), Lines{" a b"}, {{"a b"}}).value, 0.0);
  EXPECT_EQ(corpus_score(ExactMatch(false), Lines{"a  b"}, {{"a b"}}).value, 0.0);
}

TEST(ExactMatch, IgnoresCaseOnlyOnRequest) {
  EXPECT_EQ(corpus_score(ExactMatch(false), Lines{"Ä"}, {{"ä"}}).value, 0.0);
  EXPECT_EQ(corpus_score(ExactMatch(true), Lines{"Ä"}, {{"ä"}}).value, 100.0);
}

TEST(ExactMatch, OfNoLinesIsZero) {
  EXPECT_EQ(corpus_score(ExactMatch(false), Lines{}, {{}}).value, 0.0);
}

}  // namespace
}  // namespace attend::metrics
