#include "app/run/zero_score.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace attend::app {
namespace {

using testing::AllOf;
using testing::HasSubstr;

struct Measured {
  double bleu;
  double loss;
};

std::string log_of(const std::vector<Measured>& validations,
                   train::ValidationMetric metric = train::ValidationMetric::bleu) {
  ZeroScoreWarning warning({.metric = metric, .tokenize = train::BleuTokenizer::v13a});
  testing::internal::CaptureStderr();
  for (const Measured& measured : validations) {
    train::ValidationReport report;
    report.result.bleu = measured.bleu;
    report.result.loss = measured.loss;
    warning.on_validation(report);
  }
  return testing::internal::GetCapturedStderr();
}

// Regression: BLEU was 0.00 at every validation without a warning.
TEST(ZeroScore, WarnsOnceIfBleuStaysZeroWhileTheLossFalls) {
  const std::string log = log_of({{0, 5.25}, {0, 4}, {0.004, 3.5}, {0, 3}, {0, 2}});
  EXPECT_THAT(log, AllOf(HasSubstr("BLEU is 0.00 for 3 validations"),
                         HasSubstr("from 5.250 to 3.500"), HasSubstr("tokenize: 13a")));
  EXPECT_EQ(log.find("BLEU is 0.00"), log.rfind("BLEU is 0.00"));
}

TEST(ZeroScore, IsSilentOnceAScoreIsAboveZero) {
  EXPECT_EQ(log_of({{0, 5}, {0, 4}, {0.01, 3}, {0, 2}, {0, 1}, {0, 0.5}}), "");
}

TEST(ZeroScore, WaitsForALowerLoss) {
  EXPECT_EQ(log_of({{0, 5}, {0, 5}, {0, 6}}), "");
  EXPECT_THAT(log_of({{0, 5}, {0, 5}, {0, 6}, {0, 4}}), HasSubstr("for 4 validations"));
}

TEST(ZeroScore, IsSilentIfTheLossDecides) {
  EXPECT_EQ(log_of({{0, 5}, {0, 4}, {0, 3}}, train::ValidationMetric::loss), "");
}

}  // namespace
}  // namespace attend::app
