#include "metrics/bleu.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "core/error.h"

namespace attend::metrics {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using ::testing::ThrowsMessage;

using Lines = std::vector<std::string>;

// Sentences and scores marked "sacreBLEU" come from its test suite (mjpost/sacrebleu, version 2.0:
// test/test_bleu.py and test/test_sentence_bleu.py, the cases of its issues 98 and 141).
const References& dog_references() {
  static const References references{
      {"The dog bit the man.", "It was not unexpected.", "The man bit him first."},
      {"The dog had bit the man.", "No one was surprised.", "The man had bitten the dog."}};
  return references;
}

const Lines& dog_hypotheses() {
  static const Lines lines{"The dog bit the man.", "It wasn't surprising.",
                           "The man had just bitten him."};
  return lines;
}

double dog_score(const BleuOptions& options) {
  return corpus_score(Bleu(options), dog_hypotheses(), dog_references()).value;
}

TEST(Bleu, AgreesWithSacrebleuOnTwoReferences) {
  EXPECT_NEAR(dog_score({}), 48.530827, 1e-6);
  EXPECT_NEAR(dog_score({.smoothing = Smoothing::kNone}), 48.530827, 1e-6);
  EXPECT_NEAR(dog_score({.tokenizer = "none"}), 49.1919566, 1e-6);
}

TEST(Bleu, IsZeroForEmptyHypotheses) {
  EXPECT_EQ(corpus_score(Bleu({}), Lines{"", "", ""}, dog_references()).value, 0.0);
}

struct SentenceCase {
  Smoothing smoothing;
  std::optional<double> value;
  std::string tokenizer;
  double expected;
};

class SacrebleuSentence : public ::testing::TestWithParam<SentenceCase> {};

TEST_P(SacrebleuSentence, HasTheSameScore) {
  const SentenceCase& test = GetParam();
  const Bleu bleu({.tokenizer = test.tokenizer,
                   .smoothing = test.smoothing,
                   .smooth_value = test.value,
                   .effective_order = true});
  const Lines hypothesis{
      "Producția de zahăr primă va fi exprimată în ceea ce privește zahărul alb;"};
  const References references{{"producţia de zahăr brut se exprimă în zahăr alb;"}};
  EXPECT_NEAR(corpus_score(bleu, hypothesis, references).value, test.expected, 1e-3);
}

INSTANTIATE_TEST_SUITE_P(Issue98, SacrebleuSentence,
                         ::testing::Values(SentenceCase{Smoothing::kExp, {}, "13a", 8.493},
                                           SentenceCase{Smoothing::kNone, {}, "13a", 0.0},
                                           SentenceCase{Smoothing::kFloor, {}, "13a", 4.51688},
                                           SentenceCase{Smoothing::kFloor, 0.1, "13a", 4.51688},
                                           SentenceCase{Smoothing::kFloor, 0.5, "13a", 10.10},
                                           SentenceCase{Smoothing::kAddK, {}, "13a", 14.882},
                                           SentenceCase{Smoothing::kAddK, 1.0, "13a", 14.882},
                                           SentenceCase{Smoothing::kAddK, 2.0, "13a", 21.389},
                                           SentenceCase{Smoothing::kExp, {}, "none", 7.347}));

class NoMatch : public ::testing::TestWithParam<Smoothing> {};

// sacreBLEU, issue 141.
TEST_P(NoMatch, ScoresZeroUnderEverySmoothing) {
  const Bleu bleu({.smoothing = GetParam(), .effective_order = true});
  EXPECT_EQ(corpus_score(bleu, Lines{"this is a cat"}, {{"okay thanks"}}).value, 0.0);
}

INSTANTIATE_TEST_SUITE_P(Issue141, NoMatch,
                         ::testing::Values(Smoothing::kExp, Smoothing::kNone, Smoothing::kFloor,
                                           Smoothing::kAddK));

// sacreBLEU, test_case_scoring: exp((log .9 + log .875 + log 5/6 + log .75) / 4).
TEST(Bleu, ScoresGivenCounts) {
  const BleuCounts counts{.hypothesis_length = 11,
                          .reference_length = 11,
                          .matches = {9, 7, 5, 3},
                          .candidates = {10, 8, 6, 4}};
  EXPECT_NEAR(Bleu({}).score(counts).value, 83.75922397, 1e-6);
}

// sacreBLEU, raw_corpus_bleu: tokenizer none, floor 0.01, effective order.
TEST(Bleu, EffectiveOrderLeavesOutOrdersLongerThanTheSegment) {
  const Bleu bleu({.tokenizer = "none",
                   .smoothing = Smoothing::kFloor,
                   .smooth_value = 0.01,
                   .effective_order = true});
  EXPECT_NEAR(corpus_score(bleu, Lines{"test"}, {{"a test"}}).value, 36.78794411714425, 1e-9);
  EXPECT_NEAR(corpus_score(bleu, Lines{"a test"}, {{"a test"}}).value, 100.0, 1e-9);
  EXPECT_NEAR(corpus_score(bleu, Lines{"a little test"}, {{"a test"}}).value, 3.218297948685433,
              1e-9);
}

// Orders 3 and 4 have no candidates: precision 0, so the plain score is 0.
TEST(Bleu, WithoutEffectiveOrderAShortSegmentScoresZero) {
  EXPECT_EQ(corpus_score(Bleu({}), Lines{"a test"}, {{"a test"}}).value, 0.0);
}

// "a b c d" against "a b x d": matches 3, 1, 0, 0 of 4, 3, 2, 1. exp smoothing replaces the
// zeros by 1/2 and 1/4: (3/4 * 1/3 * 1/2/2 * 1/4/1) ^ 1/4 = (1/64) ^ 1/4.
TEST(Bleu, ExponentialSmoothingHalvesForEachZeroOrder) {
  EXPECT_NEAR(corpus_score(Bleu({}), Lines{"a b c d"}, {{"a b x d"}}).value,
              100.0 * std::pow(1.0 / 64, 0.25), 1e-9);
}

// Lengths, then clipped matches and candidates of the orders 1 to 4. The counts are those of
// sacreBLEU, test_case_statistics.
TEST(Bleu, StatisticsAreLengthsMatchesAndCandidates) {
  const std::vector<std::string_view> references{"I am a symbol string sequence a a"};
  EXPECT_THAT(
      Bleu({.tokenizer = "none"}).segment_statistics("am I am a character sequence", references),
      ElementsAre(6, 8, 4, 2, 1, 0, 6, 5, 4, 3));
}

// The hypothesis has 4 tokens, the references 6, 2 and 3; 3 is closest.
TEST(Bleu, TakesTheClosestReferenceLength) {
  const std::vector<std::string_view> references{"a b c d e f", "a b", "a b c"};
  EXPECT_EQ(Bleu({}).segment_statistics("a b c d", references)[1], 3.0);
}

TEST(Bleu, TakesTheShorterOfEquallyCloseReferenceLengths) {
  const std::vector<std::string_view> references{"a b c d e f", "a b"};
  EXPECT_EQ(Bleu({}).segment_statistics("a b c d", references)[1], 2.0);
}

// "a a a" may match "a" twice, because of the second reference; counts of references are not added.
TEST(Bleu, ClipsAtTheLargestCountOverReferences) {
  const std::vector<std::string_view> references{"a b", "a a c"};
  EXPECT_EQ(Bleu({}).segment_statistics("a a a", references)[2], 2.0);
}

TEST(Bleu, CountsAnEmptyReferenceAsLengthZero) {
  const std::vector<std::string_view> references{""};
  EXPECT_THAT(Bleu({}).segment_statistics("a b", references),
              ElementsAre(2, 0, 0, 0, 0, 0, 2, 1, 0, 0));
}

TEST(Bleu, LowercasesOnlyOnRequest) {
  const Lines hypothesis{"Das IST Ein Äpfelchen"};
  const References references{{"das ist ein äpfelchen"}};
  EXPECT_EQ(corpus_score(Bleu({}), hypothesis, references).value, 0.0);
  EXPECT_NEAR(corpus_score(Bleu({.lowercase = true}), hypothesis, references).value, 100.0, 1e-9);
}

// Brevity penalty exp(1 - 5/4) with all four precisions 1.
TEST(Bleu, PrintsAllDetailsAsSacrebleu) {
  const Bleu bleu({});
  const Score score = corpus_score(bleu, Lines{"a b c d"}, {{"a b c d e"}});
  EXPECT_THAT(bleu.signature(1),
              StartsWith("nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:"));
  EXPECT_NEAR(score.value, 77.88, 0.005);
  EXPECT_EQ(score.details,
            "100.0/100.0/100.0/100.0 (BP = 0.779 ratio = 0.800 hyp_len = 4 ref_len = 5)");
}

TEST(Bleu, SignatureNamesEveryOption) {
  const Bleu bleu({.lowercase = true,
                   .tokenizer = "none",
                   .smoothing = Smoothing::kFloor,
                   .smooth_value = std::nullopt,
                   .effective_order = true});
  EXPECT_THAT(bleu.signature(2),
              StartsWith("nrefs:2|case:lc|eff:yes|tok:none|smooth:floor[0.10]|version:"));
}

TEST(Bleu, RejectsASmoothingValueThatIsNotUsed) {
  EXPECT_THAT([] { Bleu({.smooth_value = 0.5}); },
              ThrowsMessage<UsageError>(HasSubstr("smoothing \"exp\"")));
}

// Regression: with 1e308 the score was "inf".
TEST(Bleu, RejectsASmoothingValueThatGivesNoFiniteScore) {
  for (const double value : {-1.0, 1e308, std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_THROW(Bleu({.smoothing = Smoothing::kFloor, .smooth_value = value}), UsageError);
  }
}

TEST(Smoothing, RejectsAnUnknownNameWithTheChoices) {
  EXPECT_THAT([] { (void)parse_smoothing("add-1"); },
              ThrowsMessage<UsageError>(
                  HasSubstr("did you mean \"add-k\"?; choices: exp, floor, add-k, none")));
}

}  // namespace
}  // namespace attend::metrics
