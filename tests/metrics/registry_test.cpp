#include "metrics/registry.h"

#include <gmock/gmock.h>

#include <cmath>

#include "core/error.h"

namespace attend::metrics {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;
using ::testing::ThrowsMessage;
using Lines = std::vector<std::string>;

class MetricContract : public ::testing::TestWithParam<std::string> {};

TEST_P(MetricContract, StatisticsHaveTheDeclaredSize) {
  const auto metric = make_metric(GetParam(), {});
  const std::vector<std::string_view> references{"ein Satz", "noch einer"};
  for (const std::string_view hypothesis : {"ein Satz", ""}) {
    EXPECT_EQ(metric->segment_statistics(hypothesis, references).size(), metric->statistics_size());
  }
}

// TER is an error rate, and the length a ratio.
TEST_P(MetricContract, APerfectHypothesisHasTheBestScore) {
  const auto metric = make_metric(GetParam(), {});
  const Lines lines{"this sentence has six words .", "and this one has six too"};
  const double best = GetParam() == "ter" ? 0.0 : GetParam() == "length" ? 1.0 : 100.0;
  EXPECT_NEAR(corpus_score(*metric, lines, {lines}).value, best, 1e-9);
}

TEST_P(MetricContract, TakesEmptyLinesOnEitherSide) {
  const auto metric = make_metric(GetParam(), {});
  for (const auto& [hypothesis, reference] : {std::pair("", "a b"), std::pair("a b", ""),
                                              std::pair("", ""), std::pair(" \u3000", "\t")}) {
    EXPECT_TRUE(std::isfinite(corpus_score(*metric, Lines{hypothesis}, {{reference}}).value));
  }
}

TEST_P(MetricContract, DoesNotDependOnTheOrderOfReferences) {
  const auto metric = make_metric(GetParam(), {});
  const Lines hypotheses{"the man had just bitten him ."};
  const Lines first{"the man bit him first ."};
  const Lines second{"the man had bitten the dog ."};
  EXPECT_EQ(corpus_score(*metric, hypotheses, {first, second}).value,
            corpus_score(*metric, hypotheses, {second, first}).value);
}

TEST_P(MetricContract, SignatureNamesReferencesOptionsAndVersion) {
  const auto metric = make_metric(GetParam(), {});
  EXPECT_THAT(metric->signature(3),
              StartsWith("nrefs:3|" + metric->options() + "|version:attend-"));
}

INSTANTIATE_TEST_SUITE_P(AllMetrics, MetricContract, ::testing::ValuesIn(metric_names()));

TEST(MetricRegistry, PassesOnTheOptionsOfEveryMetric) {
  const MetricOptions options{.lowercase = true,
                              .bleu = {.tokenizer = "char"},
                              .chrf = {.word_order = 2},
                              .ter = {.no_punct = true}};
  EXPECT_THAT(make_metric("bleu", options)->options(), StartsWith("case:lc|eff:no|tok:char|"));
  EXPECT_THAT(make_metric("chrf", options)->options(), StartsWith("case:lc|eff:yes|nc:6|nw:2|"));
  EXPECT_EQ(make_metric("chrf", options)->name(), "chrF2++");
  EXPECT_THAT(make_metric("ter", options)->options(), HasSubstr("|punct:no|"));
  EXPECT_EQ(make_metric("exact", options)->options(), "case:lc");
  EXPECT_EQ(make_metric("length", options)->options(), "tok:char");
}

TEST(MetricRegistry, SentenceLevelTurnsOnEffectiveOrder) {
  EXPECT_THAT(make_metric("bleu", {.sentence_level = true})->signature(1), HasSubstr("eff:yes"));
  EXPECT_THAT(make_metric("bleu", {})->signature(1), HasSubstr("eff:no"));
}

TEST(MetricRegistry, RejectsAnUnknownNameWithTheNearest) {
  EXPECT_THAT(
      [] { (void)make_metric("blue", {}); },
      ThrowsMessage<UsageError>(HasSubstr("unknown metric \"blue\"; did you mean \"bleu\"?; "
                                          "choices: bleu, chrf, ter, exact, length")));
}

}  // namespace
}  // namespace attend::metrics
