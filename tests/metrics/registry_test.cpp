#include "metrics/registry.h"

#include <gmock/gmock.h>

#include "core/error.h"

namespace attend::metrics {
namespace {

using ::testing::HasSubstr;
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

TEST_P(MetricContract, APerfectHypothesisScores100) {
  const auto metric = make_metric(GetParam(), {});
  const Lines lines{"this sentence has six words .", "and this one has six too"};
  EXPECT_NEAR(corpus_score(*metric, lines, {lines}).value, 100.0, 1e-9);
}

TEST_P(MetricContract, DoesNotDependOnTheOrderOfReferences) {
  const auto metric = make_metric(GetParam(), {});
  const Lines hypotheses{"the man had just bitten him ."};
  const Lines first{"the man bit him first ."};
  const Lines second{"the man had bitten the dog ."};
  EXPECT_EQ(corpus_score(*metric, hypotheses, {first, second}).value,
            corpus_score(*metric, hypotheses, {second, first}).value);
}

TEST_P(MetricContract, SignatureNamesReferencesCaseAndVersion) {
  const auto metric = make_metric(GetParam(), {.lowercase = true});
  EXPECT_THAT(metric->signature(3), HasSubstr("nrefs:3|case:lc|"));
  EXPECT_THAT(metric->signature(3), HasSubstr("|version:attend-"));
}

INSTANTIATE_TEST_SUITE_P(AllMetrics, MetricContract, ::testing::ValuesIn(metric_names()));

TEST(MetricRegistry, SentenceLevelTurnsOnEffectiveOrder) {
  EXPECT_THAT(make_metric("bleu", {.sentence_level = true})->signature(1), HasSubstr("eff:yes"));
  EXPECT_THAT(make_metric("bleu", {})->signature(1), HasSubstr("eff:no"));
}

TEST(MetricRegistry, RejectsAnUnknownNameWithTheNearest) {
  EXPECT_THAT([] { (void)make_metric("blue", {}); },
              ThrowsMessage<UsageError>(
                  HasSubstr("no metric \"blue\"; did you mean \"bleu\"?; choices: bleu, exact")));
}

}  // namespace
}  // namespace attend::metrics
