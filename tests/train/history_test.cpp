#include "train/history.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "tests/support/temp_dir.h"
#include "train/observer.h"

namespace attend::train {
namespace {

using test::read_text;
using test::TempDir;

TEST(History, HasEachLineInTheFileAtOnce) {
  const TempDir folder;
  History history(folder / "train.jsonl", 0);
  history.add({{"a", 1}});
  EXPECT_EQ(read_text(folder / "train.jsonl"), "{\"a\":1}\n");
  history.add({{"b", 2}});
  EXPECT_EQ(read_text(folder / "train.jsonl"), "{\"a\":1}\n{\"b\":2}\n");
  EXPECT_EQ(history.lines(), 2);
}

TEST(History, DropsLinesThatTheStateDidNotKnow) {
  const TempDir folder;
  const auto path = folder.write("train.jsonl", "1\n2\n3\n4 cut in the mid");
  History history(path, 2);
  history.add({{"c", 3}});
  EXPECT_EQ(read_text(path), "1\n2\n{\"c\":3}\n");
}

TEST(History, KeepsWhatThereIsOfAFileThatIsTooShort) {
  const TempDir folder;
  const auto path = folder.write("train.jsonl", "1\n2 cut");
  const History history(path, 5);
  EXPECT_EQ(history.lines(), 1);
  EXPECT_EQ(read_text(path), "1\n");
}

TEST(History, StartsAnewForANewRun) {
  const TempDir folder;
  const auto path = folder.write("train.jsonl", "1\n");
  const History history(path, 0);
  EXPECT_EQ(read_text(path), "");
}

TEST(History, CannotBeWrittenWhereThereIsNoFolder) {
  EXPECT_THROW(History("/proc/nowhere/train.jsonl", 0), DataError);
}

/// Limits the size of files during its lifetime, like a full disk.
class FullDisk {
 public:
  explicit FullDisk(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FullDisk() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }
  FullDisk(const FullDisk&) = delete;
  FullDisk& operator=(const FullDisk&) = delete;

 private:
  void (*handler_)(int);
  rlimit before_{};
};

TEST(History, LeavesNoPartOfALineThatCannotBeWritten) {
  const TempDir folder;
  History history(folder / "train.jsonl", 0);
  history.add({{"a", 1}});  // 8 bytes
  {
    const FullDisk full(12);
    EXPECT_THROW(history.add({{"b", 2}}), DataError);
    EXPECT_THROW(history.flush_to_disk(), DataError);
  }
  EXPECT_EQ(read_text(folder / "train.jsonl"), "{\"a\":1}\n");
  EXPECT_EQ(history.lines(), 2);
}

TEST(History, WritesLinesThatWaitBeforeTheNext) {
  const TempDir folder;
  History history(folder / "train.jsonl", 0);
  {
    const FullDisk full(4);
    EXPECT_THROW(history.add({{"a", 1}}), DataError);
  }
  history.add({{"b", 2}});
  history.flush_to_disk();
  EXPECT_EQ(read_text(folder / "train.jsonl"), "{\"a\":1}\n{\"b\":2}\n");
}

// 800 nats over 400 tokens in 2 seconds.
TEST(HistoryLine, OfAnIntervalKeepsTheClockUnderTiming) {
  IntervalReport report;
  report.point = {12, 1.5, 60.0, 0.3};
  report.loss = 2.0;
  report.learning_rate = 0.25;
  report.gradient_norm = 3.5;
  report.source_tokens = 390;
  report.target_tokens = 400;
  report.skipped = 1;
  report.seconds = 2.0;
  nlohmann::json line = history_line(report);
  EXPECT_EQ(line["timing"],
            (nlohmann::json{{"seconds", 60.0}, {"target_tokens_per_second", 200.0}}));
  EXPECT_NEAR(line["perplexity"].get<double>(), 7.389056098930650, 1e-12);  // e^2
  line.erase("timing");
  line.erase("perplexity");
  EXPECT_EQ(line, (nlohmann::json{{"type", "train"},
                                  {"update", 12},
                                  {"epoch", 1.5},
                                  {"loss", 2.0},
                                  {"learning_rate", 0.25},
                                  {"gradient_norm", 3.5},
                                  {"source_tokens", 390},
                                  {"target_tokens", 400},
                                  {"skipped_updates", 1}}));
}

TEST(HistoryLine, OfAValidationHasNoBleuWhereNothingWasTranslated) {
  ValidationReport report;
  report.point = {12, 1.5, 60.0, 0.3};
  report.result.loss = 0.0;
  EXPECT_FALSE(history_line(report, ValidationMetric::loss).contains("bleu"));
  report.result.bleu = 30.5;
  EXPECT_EQ(history_line(report, ValidationMetric::loss)["bleu"], 30.5);
  EXPECT_EQ(history_line(report, ValidationMetric::loss)["type"], "validation");
  EXPECT_EQ(history_line(report, ValidationMetric::loss)["metric"], "loss");
}

TEST(HistoryLine, TellsAnAverageFromTheWeightsOfTraining) {
  ValidationReport report;
  report.averaged_snapshots = 4;
  EXPECT_EQ(history_line(report, ValidationMetric::loss)["type"], "average");
  EXPECT_EQ(history_line(report, ValidationMetric::loss)["snapshots"], 4);
}

}  // namespace
}  // namespace attend::train
