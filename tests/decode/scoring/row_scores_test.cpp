#include "decode/scoring/row_scores.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace attend::decode {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;

TEST(MostProbable, TakesTheBestOfEachRowInFallingOrder) {
  const auto log_probs = torch::tensor({{-5.F, -1.F, -3.F, -2.F}, {-1.F, -4.F, -2.F, -9.F}});

  const auto scores = most_probable(log_probs, 3);

  EXPECT_EQ(scores.width, 3);
  EXPECT_THAT(scores.tokens, ElementsAre(1, 3, 2, 0, 2, 1));
  EXPECT_THAT(scores.log_probs, ElementsAre(-1.0, -2.0, -3.0, -1.0, -2.0, -4.0));
  EXPECT_THAT(scores.best, ElementsAre(1, 0));
}

TEST(MostProbable, PrefersTheLowerIdOfEquals) {
  const auto scores = most_probable(torch::tensor({{-7.F, -2.F, -2.F, -2.F}}), 2);

  EXPECT_THAT(scores.tokens, ElementsAre(1, 2));
}

TEST(MostProbable, IsAsWideAsTheVocabularyAtMost) {
  const auto scores = most_probable(torch::tensor({{-3.F, -1.F}}), 9);

  EXPECT_EQ(scores.width, 2);
  EXPECT_THAT(scores.tokens, ElementsAre(1, 0));
}

TEST(MostProbable, FindsTheSameInNarrowAndWideRows) {
  const auto log_probs = -torch::arange(300).mul(7).remainder(300).to(torch::kFloat).view({1, 300});

  const auto narrow = most_probable(log_probs, 60);
  const auto wide = most_probable(log_probs, 250);

  ASSERT_EQ(wide.tokens.size(), 250U);
  EXPECT_TRUE(std::equal(narrow.tokens.begin(), narrow.tokens.end(), wide.tokens.begin()));
  EXPECT_TRUE(std::equal(narrow.log_probs.begin(), narrow.log_probs.end(), wide.log_probs.begin()));
}

TEST(Normalize, MakesLogProbabilitiesOfLogits) {
  for (const auto type : {torch::kFloat, torch::kDouble}) {
    const auto logits = torch::tensor({{1.0, 3.0, 2.0}, {-50.0, 0.0, 40.0}}, type);
    const auto expected = logits.to(torch::kDouble).log_softmax(1);
    auto scores = most_probable(logits, 2);
    scores.wanted = logits_of(logits, std::vector<text::TokenId>{0, 1});

    normalize(scores, log_sums(logits));

    const auto at = [&](int64_t row, int64_t token) {
      return DoubleNear(expected[row][token].item<double>(), 1e-6);
    };
    EXPECT_THAT(scores.log_probs, ElementsAre(at(0, 1), at(0, 2), at(1, 2), at(1, 1)));
    EXPECT_THAT(scores.wanted, ElementsAre(at(0, 0), at(1, 1)));
  }
}

TEST(ForbidSpecialSymbols, LeavesTheEndAndTheWords) {
  auto log_probs = torch::zeros({2, 6});

  forbid_special_symbols(log_probs, /*allow_unknown=*/false);

  const auto never = -std::numeric_limits<float>::infinity();
  const auto row = torch::tensor({never, never, never, 0.F, 0.F, 0.F});
  EXPECT_TRUE(torch::equal(log_probs, torch::stack({row, row})));
}

TEST(LogitsOf, RejectsTokensOutsideTheVocabulary) {
  const std::vector<text::TokenId> tokens{6};

  EXPECT_THROW((void)logits_of(torch::zeros({1, 6}), tokens), std::logic_error);
}

}  // namespace
}  // namespace attend::decode
