#include "metrics/chrf.h"

#include <gmock/gmock.h>

#include "core/error.h"

namespace attend::metrics {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using ::testing::ThrowsMessage;

using Lines = std::vector<std::string>;

double score_of(const ChrfOptions& options, const Lines& hypotheses, const References& references) {
  return corpus_score(Chrf(options), hypotheses, references).value;
}

struct Case {
  Lines hypotheses;
  Lines reference;
  double expected;
};

class SacrebleuChrf : public ::testing::TestWithParam<Case> {};

// sacreBLEU 2.0, test/test_chrf.py: test_cases_effective_order (beta 3).
TEST_P(SacrebleuChrf, HasTheSameScore) {
  const Case& test = GetParam();
  EXPECT_NEAR(score_of({.beta = 3}, test.hypotheses, {test.reference}), test.expected, 1e-4);
}

INSTANTIATE_TEST_SUITE_P(EffectiveOrder, SacrebleuChrf,
                         ::testing::Values(Case{{"a"}, {"a"}, 100.0},
                                           Case{{""}, {"reference"}, 0.0},
                                           Case{{"a b c"}, {"a b c"}, 100.0},
                                           Case{{"a b c"}, {"abc"}, 100.0}, Case{{""}, {"c"}, 0.0},
                                           Case{{"a", "b"}, {"a", "c"}, 50.0},
                                           Case{{"aa"}, {"ab"}, 25.0}));

// sacreBLEU 2.0, test/test_chrf.py: test_cases_keep_whitespace (beta 3).
TEST(Chrf, KeepsWhitespaceOnRequest) {
  const ChrfOptions options{.beta = 3, .whitespace = true};
  EXPECT_NEAR(
      score_of(
          options, {"Die Beziehung zwischen Obama und Netanjahu ist nicht gerade freundlich."},
          {{"Das Verhältnis zwischen Obama und Netanyahu ist nicht gerade freundschaftlich."}}),
      67.3481606, 1e-4);
  EXPECT_NEAR(
      score_of(options,
               {"risk assessment must be made of those who are qualified and expertise in the "
                "sector - these are the scientists ."},
               {{"risk assessment has to be undertaken by those who are qualified and expert in "
                 "that area - that is the scientists ."}}),
      65.2414427, 1e-4);
}

// sacreBLEU's README, "Using SacreBLEU from Python": chrF2 = 59.73.
TEST(Chrf, AgreesWithSacrebleuOnTwoReferences) {
  const References references{
      {"The dog bit the man.", "It was not unexpected.", "The man bit him first."},
      {"The dog had bit the man.", "No one was surprised.", "The man had bitten the dog."}};
  const Lines hypotheses{"The dog bit the man.", "It wasn't surprising.",
                         "The man had just bitten him."};
  EXPECT_NEAR(score_of({}, hypotheses, references), 59.73, 0.005);
}

// "ab" against "abc": 2 of 2 and 3 characters match, and 1 of 1 and 2 bigrams; only the reference
// has a trigram.
TEST(Chrf, StatisticsAreTotalsAndMatchesOfEveryOrder) {
  const std::vector<std::string_view> references{"abc"};
  EXPECT_THAT(Chrf({.char_order = 3}).segment_statistics("a b", references),
              ElementsAre(2, 3, 2, 1, 2, 1, 0, 1, 0));
}

TEST(Chrf, DoesNotCountOrdersThatTheReferenceLacks) {
  const std::vector<std::string_view> references{"a"};
  EXPECT_THAT(Chrf({.char_order = 2}).segment_statistics("abc", references),
              ElementsAre(3, 1, 1, 0, 0, 0));
}

// Uses the statistics of the best reference only: "xy" has F 100; "abxy" shares as many n-grams.
TEST(Chrf, TakesTheReferenceOfTheBestF) {
  const std::vector<std::string_view> references{"abxy", "xy", "zz"};
  EXPECT_THAT(Chrf({.char_order = 1}).segment_statistics("xy", references), ElementsAre(2, 2, 2));
}

TEST(Chrf, TakesTheFirstOfEquallyGoodReferences) {
  const std::vector<std::string_view> references{"zz", "vvv"};
  EXPECT_THAT(Chrf({.char_order = 1}).segment_statistics("a", references), ElementsAre(1, 2, 0));
}

// Characters: P = R = 1 of 2. Words: P = R = 0 of 1. F = 1/4 with beta 1.
TEST(Chrf, AveragesOverCharactersAndWords) {
  const Chrf chrf({.char_order = 1, .word_order = 1, .beta = 1});
  EXPECT_NEAR(corpus_score(chrf, Lines{"ab"}, {{"ac"}}).value, 25.0, 1e-9);
}

// P = 1, R = 1/2: F_2 = 5 * 1/2 / (4 + 1/2) = 5/9.
TEST(Chrf, WeighsRecallByBetaSquared) {
  EXPECT_NEAR(score_of({.char_order = 1}, {"a"}, {{"ab"}}), 100.0 * 5 / 9, 1e-9);
}

// U+1D49C is one character. A letter and its combining accent are two.
TEST(Chrf, CountsCodePoints) {
  const std::vector<std::string_view> references{"𝒜\u0301"};
  EXPECT_THAT(Chrf({.char_order = 2}).segment_statistics("𝒜é", references),
              ElementsAre(2, 2, 1, 1, 1, 0));
}

TEST(Chrf, LeavesOutEveryUnicodeSpace) {
  EXPECT_NEAR(score_of({}, {"a\u00a0b\u3000c\u2028d\u0085e f"}, {{"abcdef"}}), 100.0, 1e-9);
}

TEST(Chrf, LowercasesOnlyOnRequest) {
  EXPECT_EQ(score_of({}, {"ÄÖ"}, {{"äö"}}), 0.0);
  EXPECT_NEAR(score_of({.lowercase = true}, {"ÄÖ"}, {{"äö"}}), 100.0, 1e-9);
}

// sacreBLEU, issue 124: "(hi)" gives "(hi" and ")".
TEST(ChrfWords, SplitOnePunctuationCharacterOffTheEndOrElseTheStart) {
  EXPECT_THAT(chrf_words("(hi) (hi a.. . né, „x“"),
              ElementsAre("(hi", ")", "(", "hi", "a.", ".", ".", "né", ",", "„x“"));
}

TEST(Chrf, NamesBetaAndWordOrder) {
  EXPECT_EQ(Chrf({}).name(), "chrF2");
  EXPECT_EQ(Chrf({.word_order = 2, .beta = 3}).name(), "chrF3++");
  EXPECT_EQ(Chrf({.beta = 0.5}).name(), "chrF0.5");
}

// sacreBLEU's README: chrF2++|nrefs:1|case:mixed|eff:yes|nc:6|nw:2|space:no|version:...
TEST(Chrf, SignatureNamesEveryOption) {
  EXPECT_THAT(Chrf({.word_order = 2}).signature(1),
              StartsWith("nrefs:1|case:mixed|eff:yes|nc:6|nw:2|space:no|version:"));
  EXPECT_THAT(Chrf({.lowercase = true, .char_order = 4, .whitespace = true}).signature(1),
              StartsWith("nrefs:1|case:lc|eff:yes|nc:4|nw:0|space:yes|version:"));
}

TEST(Chrf, RejectsOrdersAndBetaOutOfRange) {
  EXPECT_THAT([] { Chrf({.char_order = 0}); }, ThrowsMessage<UsageError>(HasSubstr("both 0")));
  EXPECT_THAT([] { Chrf({.word_order = 101}); },
              ThrowsMessage<UsageError>(HasSubstr("chrF: order 101 exceeds the limit 100")));
  EXPECT_THAT([] { Chrf({.beta = -1}); }, ThrowsMessage<UsageError>(HasSubstr("chrF: beta -1")));
}

// Regression: the score was "nan".
TEST(Chrf, RejectsABetaWhoseSquareIsNotFinite) {
  EXPECT_THAT([] { Chrf({.beta = 1e200}); },
              ThrowsMessage<UsageError>(HasSubstr("expected 0 to 1000000")));
}

}  // namespace
}  // namespace attend::metrics
