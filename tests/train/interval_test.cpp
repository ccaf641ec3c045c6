#include "train/interval.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

namespace attend::train {
namespace {

TEST(IntervalReport, HoldsMeansOverTheUpdatesThatWereMade) {
  Interval interval;
  interval.updates = 2;
  interval.skipped = 1;
  interval.target_tokens = 8;
  interval.nll = 12.0;
  interval.gradient_norm = 3.0;
  const IntervalReport report = report_of(interval, {}, 0.1);
  EXPECT_EQ(report.loss, 1.5);
  EXPECT_EQ(report.gradient_norm, 1.5);
}

// Regression: the loss was 0, a perplexity of 1, the best possible.
TEST(IntervalReport, HasNoLossWhereAllUpdatesWereLeftOut) {
  Interval interval;
  interval.skipped = 3;
  const IntervalReport report = report_of(interval, {}, 0.1);
  EXPECT_TRUE(std::isnan(report.loss));
  EXPECT_TRUE(std::isnan(report.gradient_norm));
  const nlohmann::json line = nlohmann::json::parse(history_line(report).dump());
  EXPECT_TRUE(line["loss"].is_null());
  EXPECT_TRUE(line["perplexity"].is_null());
  EXPECT_EQ(line["skipped_updates"], 3);
}

}  // namespace
}  // namespace attend::train
