#include "cli/line_progress.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "app/align/forced_pairs.h"
#include "app/translate/translate_lines.h"
#include "core/file.h"
#include "tests/cli/tiny_model.h"
#include "tests/support/temp_dir.h"
#include "tests/support/tested_device.h"

namespace attend::cli {
namespace {

using testing::MatchesRegex;

TEST(ShortCount, KeepsOneDecimalOfThousands) {
  EXPECT_EQ(short_count(0), "0");
  EXPECT_EQ(short_count(949.6), "950");
  EXPECT_EQ(short_count(8449), "8.4k");
  EXPECT_EQ(short_count(999.7), "1.0k");
  EXPECT_EQ(short_count(999'960), "1.0M");  // regression: 1000.0k
  EXPECT_EQ(short_count(1'250'000), "1.2M");
}

TEST(ShortDuration, KeepsTheTwoLargestUnits) {
  EXPECT_EQ(short_duration(0.4), "0s");
  EXPECT_EQ(short_duration(59.4), "59s");
  EXPECT_EQ(short_duration(60), "1m");
  EXPECT_EQ(short_duration(725), "12m");
  EXPECT_EQ(short_duration(3 * 3600 + 5 * 60), "3h05m");
}

TEST(ShortDuration, RoundsUpToTheHour) {
  EXPECT_EQ(short_duration(3599), "1h00m");
}

// Shows reports at 0, 5, 10 and 40 seconds.
TEST(LineProgress, LogsRateAndTimeLeftEveryTenSeconds) {
  const LiveLine none(false);
  LineProgress progress(none);
  testing::internal::CaptureStderr();
  progress.report({"translating", 1000, 0.5, 0.0});
  progress.report({"translating", 1250, 0.55, 5.0});
  progress.report({"translating", 1500, 0.6, 10.0});   // 10 % took 10 s: 40 s left
  progress.report({"translating", 1800, 0.75, 40.0});  // a quarter took 40 s
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              MatchesRegex("[0-9:]+ translating: lines=1500 lines/s=50 done=60.0% eta=40s\n"
                           "[0-9:]+ translating: lines=1800 lines/s=10 done=75.0% eta=40s\n"));
}

TEST(LineProgress, RestartsWithEachTask) {
  const LiveLine none(false);
  LineProgress progress(none);
  testing::internal::CaptureStderr();
  progress.report({"counting", 1000, 0.9, 20.0});
  progress.report({"cutting", 10, 0.1, 21.0});
  progress.report({"cutting", 110, 0.6, 31.0});
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              MatchesRegex("[0-9:]+ cutting: lines=110 lines/s=10 done=60.0% eta=8s\n"));
}

/// 130 lines and a model for them.
class ProgressOfModels : public testing::Test {
 protected:
  static void SetUpTestSuite() { model_.make(); }
  static void TearDownTestSuite() { model_.clear(); }

  ProgressOfModels() {
    std::string text;
    for (int i = 0; i < 130; ++i) text += i % 2 == 0 ? "a b c\n" : "\n";
    text_ = dir_.write("text", text);
  }

  [[nodiscard]] app::ReportProgress reporter() {
    return [this](const data::ReadingProgress& report) { reports_.push_back(report); };
  }
  void expect_whole_way(const std::string& what) const {
    ASSERT_GE(reports_.size(), 2);
    for (std::size_t i = 1; i < reports_.size(); ++i)
      EXPECT_GE(reports_[i].share, reports_[i - 1].share) << i;
    EXPECT_LT(reports_.front().share, 0.5);
    EXPECT_GT(reports_.back().share, 0.9);
    EXPECT_EQ(reports_.back().what, what);
  }

  static test::SuiteModel model_;
  attend::test::TempDir dir_;
  std::filesystem::path text_;
  std::vector<data::ReadingProgress> reports_;
};
test::SuiteModel ProgressOfModels::model_;

TEST_F(ProgressOfModels, IsThatOfTranslatedLines) {
  const std::vector<app::LoadedModel> models =
      app::load_models({model_.path()}, attend::test::tested_device());
  app::TranslateLinesOptions options;
  options.search.decoding.batch_size = 4;
  options.report = reporter();
  EXPECT_EQ(app::translate_file(text_, app::Translator(models, {}), options).size(), 130);
  expect_whole_way("translating");
}

TEST_F(ProgressOfModels, IsThatOfScoredPairs) {
  const app::LoadedModel model = app::load_model(model_.path(), attend::test::tested_device());
  data::PairReader reader({text_.string(), text_.string()});
  app::ForceOptions options;
  options.batch.size = 2;
  options.report = reporter();
  app::force_pairs(reader, model, options, [](const app::ForcedPair&) {});
  expect_whole_way("scoring");
  EXPECT_EQ(reports_.back().lines, 130);
}

}  // namespace
}  // namespace attend::cli
