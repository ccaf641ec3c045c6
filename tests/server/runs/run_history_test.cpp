#include "server/runs/run_history.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "tests/support/temp_dir.h"

namespace attend::server {
namespace {

using attend::test::TempDir;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// A line as training writes it; `seconds` differs between runs.
std::string train_line(int update, double loss, double seconds) {
  return fmt::format(
      R"({{"learning_rate":0.5,"loss":{},"timing":{{"seconds":{},"target_tokens_per_second":9.5}},)"
      R"("type":"train","update":{}}})"
      "\n",
      loss, seconds, update);
}

void append(const std::filesystem::path& file, const std::string& text) {
  std::ofstream(file, std::ios::app | std::ios::binary) << text;
}

std::vector<double> losses(const RunHistory& history) {
  std::vector<double> all;
  for (const TrainPoint& point : history.curves().train) all.push_back(point.loss);
  return all;
}

// The metric of a run may be the loss although it also has BLEU.
TEST(RunHistory, FindsTheBestByTheMetricOfTheRun) {
  for (const auto& [metric, value] :
       {std::pair<std::string, double>{"loss", 3.5}, {"bleu", 20.5}}) {
    const TempDir dir;
    RunHistory history(dir.write(
        "train.jsonl", fmt::format(R"({{"type":"validation","update":5,"loss":3.5,"bleu":20.5,)"
                                   R"("metric":"{}","best":true}})"
                                   "\n",
                                   metric)));
    history.refresh();
    ASSERT_TRUE(history.curves().best.has_value());
    EXPECT_EQ(history.curves().best->metric, metric);
    EXPECT_EQ(history.curves().best->value, value);
  }
}

TEST(RunHistory, ReadsPointsAndTheBestValidation) {
  const TempDir dir;
  RunHistory history(dir.write(
      "train.jsonl", train_line(5, 2.25, 1.0) +
                         "{\"type\":\"validation\",\"update\":5,\"loss\":3.5,\"best\":true}\n"
                         "{\"type\":\"validation\",\"update\":10,\"loss\":4.5,\"best\":false}\n"));
  history.refresh();
  const RunCurves& curves = history.curves();
  ASSERT_EQ(curves.train.size(), 1);
  EXPECT_EQ(curves.train[0].update, 5);
  EXPECT_EQ(curves.train[0].loss, 2.25);
  EXPECT_EQ(curves.train[0].learning_rate, 0.5);
  EXPECT_EQ(curves.train[0].tokens_per_second, 9.5);
  ASSERT_EQ(curves.validation.size(), 2);
  EXPECT_TRUE(std::isnan(curves.validation[0].bleu)) << "it is missing";
  ASSERT_TRUE(curves.best.has_value());
  EXPECT_STREQ(curves.best->metric, "loss");
  EXPECT_EQ(curves.best->value, 3.5);
  EXPECT_EQ(curves.updates, 10);
  EXPECT_EQ(curves.unreadable, 0);
  EXPECT_EQ(history.problem(), "");
}

// Regression: 2^64 - 1 became update -1, and hid the updates before it.
TEST(RunHistory, SkipsForgedUpdates) {
  const TempDir dir;
  std::string lines = train_line(5, 2.0, 1.0);
  for (const char* update :
       {"18446744073709551615", "9223372036854775808", "9007199254740993", "-1", "1e3", "null"})
    lines += fmt::format(R"({{"type":"train","update":{},"loss":1.0}})"
                         "\n",
                         update);
  RunHistory history(dir.write("train.jsonl", lines));
  history.refresh();
  EXPECT_EQ(history.curves().updates, 5);
  EXPECT_THAT(losses(history), ElementsAre(2.0));
  EXPECT_EQ(history.curves().unreadable, 6);
}

// Regression: every refresh of 30 runs parsed 98 MB again.
TEST(RunHistory, ReadsNothingTwice) {
  const TempDir dir;
  std::string text;
  for (int i = 1; i <= 6; ++i) text += train_line(i, 7.5, i);
  const auto file = dir.write("train.jsonl", text);
  RunHistory history(file);
  history.refresh();
  // A different first line of the same length would show that it is read again.
  std::fstream(file, std::ios::in | std::ios::out | std::ios::binary) << train_line(1, 8.5, 1.0);
  append(file, train_line(7, 5.5, 7.0));
  history.refresh();
  EXPECT_THAT(losses(history), ElementsAre(7.5, 7.5, 7.5, 7.5, 7.5, 7.5, 5.5));
}

TEST(RunHistory, ReadsALineWhenItIsComplete) {
  const TempDir dir;
  const std::string line = train_line(2, 6.5, 2.0);
  const auto file = dir.write("train.jsonl", train_line(1, 7.5, 1.0) + line.substr(0, 20));
  RunHistory history(file);
  history.refresh();
  EXPECT_THAT(losses(history), ElementsAre(7.5));
  EXPECT_EQ(history.curves().unreadable, 0);
  append(file, line.substr(20));
  history.refresh();
  EXPECT_THAT(losses(history), ElementsAre(7.5, 6.5));
}

// A resumed run truncates its history to its state and may then exceed the old size.
TEST(RunHistory, ReadsAResumedRunAgain) {
  const TempDir dir;
  const std::string kept = train_line(1, 7.5, 1.0);
  const auto file = dir.write("train.jsonl", kept + train_line(2, 6.5, 2.0));
  RunHistory history(file);
  history.refresh();
  dir.write("train.jsonl", kept + train_line(2, 6.25, 2.5) + train_line(3, 5.5, 3.0));
  history.refresh();
  EXPECT_THAT(losses(history), ElementsAre(7.5, 6.25, 5.5));
  dir.write("train.jsonl", kept);
  history.refresh();
  EXPECT_THAT(losses(history), ElementsAre(7.5)) << "shorter";
}

TEST(RunHistory, ReadsAReplacedFileOfTheSameSizeAgain) {
  const TempDir dir;
  const auto file = dir.write("train.jsonl", train_line(1, 7.5, 1.0));
  RunHistory history(file);
  history.refresh();
  dir.write("train.jsonl", train_line(1, 8.5, 1.0));
  std::filesystem::last_write_time(
      file, std::filesystem::last_write_time(file) + std::chrono::seconds(1));
  history.refresh();
  EXPECT_THAT(losses(history), ElementsAre(8.5));
}

TEST(RunHistory, ReadsLinesAcrossBlocks) {
  const TempDir dir;
  std::string text;
  for (int i = 0; i < 3000; ++i) text += train_line(i, 0.5 * i, i);
  ASSERT_GT(text.size(), 200'000);
  RunHistory history(dir.write("train.jsonl", text));
  history.refresh();
  ASSERT_EQ(history.curves().train.size(), 3000);
  for (int i = 0; i < 3000; ++i)
    EXPECT_EQ(history.curves().train[static_cast<std::size_t>(i)].update, i);
  EXPECT_EQ(history.curves().unreadable, 0);
}

TEST(RunHistory, ReportsWhatCannotBeRead) {
  const TempDir dir;
  RunHistory long_line(dir.write("long", train_line(1, 7.5, 1.0) + std::string(3 << 20, 'x')));
  long_line.refresh();
  EXPECT_THAT(losses(long_line), ElementsAre(7.5)) << "the lines before it";
  EXPECT_THAT(long_line.problem(), HasSubstr("1 MiB"));
  long_line.refresh();
  EXPECT_THAT(losses(long_line), ElementsAre(7.5)) << "again at the second refresh";

  std::filesystem::create_directory(dir / "folder");
  RunHistory folder(dir / "folder");
  folder.refresh();
  EXPECT_THAT(losses(folder), IsEmpty());
  EXPECT_THAT(folder.problem(), HasSubstr("not a regular file"));
}

}  // namespace
}  // namespace attend::server
