// The folder of a run: locking, and the files that are replaced or kept.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/fault_point.h"
#include "core/file_lock.h"
#include "tests/cli/train_fixture.h"

namespace attend::cli {
namespace {

using attend::test::read_text;
using test::Ended;
using test::run_program;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// Changes the working directory during its lifetime.
class WorkingDirectory {
 public:
  explicit WorkingDirectory(const std::filesystem::path& directory)
      : before_(std::filesystem::current_path()) {
    std::filesystem::current_path(directory);
  }
  ~WorkingDirectory() { std::filesystem::current_path(before_); }
  WorkingDirectory(const WorkingDirectory&) = delete;
  WorkingDirectory& operator=(const WorkingDirectory&) = delete;

 private:
  std::filesystem::path before_;
};

class RunFolder : public test::TrainFixture {
 protected:
  static constexpr const char* kShort = "training.max_updates=1";

  Ended train_config(const std::string& config, const std::string& output,
                     const std::vector<std::string>& more) const {
    std::vector<std::string> arguments = {"train",    config, "--output",  output,
                                          "--device", "cpu",  "--threads", "1"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_program(arguments);
  }

  void train_shortly() const {
    const Ended ended = train({"--set", kShort});
    ASSERT_EQ(ended.code, 0) << ended.err;
  }
};

TEST_F(RunFolder, IsRefusedToASecondProcessNamingTheFirst) {
  train_shortly();
  FileLock first(dir / "run/train.lock");
  ASSERT_TRUE(first.take());
  const std::string before = read_text(dir / "run/last.safetensors");
  for (const char* how : {"--quiet", "--resume", "--overwrite"}) {
    const Ended ended = train({how});
    EXPECT_EQ(ended.code, 2) << how;
    EXPECT_THAT(ended.err, HasSubstr("process " + std::to_string(::getpid()) + " is training"));
  }
  EXPECT_EQ(read_text(dir / "run/last.safetensors"), before);
  EXPECT_TRUE(lock_holder(dir / "run/train.lock"));
}

// Regression: training emptied the target of a train.lock that was a link. The other files of a run
// could be links as well.
TEST_F(RunFolder, OfAStrangerCannotLeadToAnotherFile) {
  train_shortly();
  const auto precious = dir.write("precious", "precious");
  for (const char* name : {"train.lock", "train.jsonl", "last.safetensors", "last.state"}) {
    const auto link = dir / "run" / name;
    if (std::filesystem::exists(link)) std::filesystem::rename(link, dir / "aside");
    std::filesystem::create_symlink("../precious", link);
    for (const char* how : {"--resume", "--overwrite"}) {
      const Ended ended = train({how, "--set", "training.max_updates=2"});
      EXPECT_EQ(ended.code, 3) << name;
      EXPECT_THAT(ended.err, AllOf(HasSubstr(name), HasSubstr("is a link")));
      EXPECT_EQ(read_text(precious), "precious") << name;
    }
    std::filesystem::remove(link);
    if (std::filesystem::exists(dir / "aside")) std::filesystem::rename(dir / "aside", link);
  }
}

TEST_F(RunFolder, DoesNotWaitForAPipeInPlaceOfItsHistory) {
  train_shortly();
  std::filesystem::remove(dir / "run/train.jsonl");
  ASSERT_EQ(::mkfifo((dir / "run/train.jsonl").c_str(), 0600), 0);
  const Ended ended = train({"--resume", "--set", "training.max_updates=2"});
  EXPECT_EQ(ended.code, 3);
  EXPECT_THAT(ended.err, AllOf(HasSubstr("train.jsonl"), HasSubstr("a pipe")));
}

TEST_F(RunFolder, MayHaveLinksInsideItself) {
  train_shortly();
  std::filesystem::rename(dir / "run/best.safetensors", dir / "run/kept.safetensors");
  std::filesystem::create_symlink("kept.safetensors", dir / "run/best.safetensors");
  const Ended ended = train({"--resume", "--set", "training.max_updates=2"});
  EXPECT_EQ(ended.code, 0) << ended.err;
}

TEST_F(RunFolder, IsLockedBeforeDataIsPrepared) {
  write_in_run("train.lock", "");
  FileLock first(dir / "run/train.lock");
  ASSERT_TRUE(first.take());
  const std::string torn = dir.write("torn.src", "a line too few\n").string();
  const Ended ended = train({"--set", "data.train.source=" + torn});
  EXPECT_EQ(ended.code, 2) << ended.err;
}

TEST_F(RunFolder, TranslatesWhileAProcessTrainsInIt) {
  train_shortly();
  FileLock training(dir / "run/train.lock");
  ASSERT_TRUE(training.take());
  const Ended ended = run_program({"translate", "--model", (dir / "run").string(), "--input",
                                   (dir / "dev.src").string(), "--quiet"});
  EXPECT_EQ(ended.code, 0) << ended.err;
}

TEST_F(RunFolder, HoldsNoLockAfterwards) {
  train_shortly();
  EXPECT_FALSE(has("run/train.lock"));
}

TEST_F(RunFolder, LeftByAProcessKilledDuringPreparationIsReused) {
  write_in_run("train.lock", "123\n");
  train_shortly();
  EXPECT_FALSE(has("run/train.lock"));
}

TEST_F(RunFolder, ResumeNeverDeletesWeightsWithoutAState) {
  train_shortly();
  std::filesystem::remove(dir / "run/last.state");
  std::filesystem::remove(dir / "run/previous.state");
  for (const char* left : {"best.safetensors", "last.safetensors"}) {
    const std::string weights = read_text(dir / "run" / left);
    const Ended ended = train({"--resume"});
    EXPECT_EQ(ended.code, 2);
    EXPECT_THAT(ended.err,
                AllOf(HasSubstr(left), HasSubstr("training.init_from"), HasSubstr("--overwrite")));
    EXPECT_EQ(read_text(dir / "run" / left), weights);
    std::filesystem::remove(dir / "run" / left);
  }
}

// Weights without a state must never belong to a run that was killed.
TEST_F(RunFolder, GetsItsFirstStateBeforeItsFirstWeights) {
  plan_faults("fail=1,only=rename last.state");
  EXPECT_EQ(train({}).code, 3);
  plan_faults("");
  EXPECT_FALSE(has("run/last.safetensors"));
  EXPECT_EQ(train({"--resume"}).code, 0);
}

TEST_F(RunFolder, IsNotOverwrittenUnlessItIsAModelFolder) {
  write_in_run("config.yaml", "mine");
  for (const char* how : {"--overwrite", "--resume"}) {
    const Ended ended = train({how});
    EXPECT_EQ(ended.code, 2);
    EXPECT_THAT(ended.err, HasSubstr("not a model folder"));
  }
  EXPECT_EQ(read_text(dir / "run/config.yaml"), "mine");
  EXPECT_FALSE(has("run/train.lock"));
}

TEST_F(RunFolder, IsNotOverwrittenIfItHoldsTheConfigInUse) {
  train_shortly();
  const std::string config = read_text(dir / "run/config.yaml");
  const std::string run = (dir / "run").string();
  const Ended ended = train_config(run + "/config.yaml", run, {"--overwrite", "--set", "seed=9"});
  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.err, HasSubstr("the config in use"));
  EXPECT_EQ(read_text(dir / "run/config.yaml"), config);
}

TEST_F(RunFolder, IsNotOverwrittenIfItIsTheWorkingDirectory) {
  const std::filesystem::path config = dir / "tiny.yaml";
  std::filesystem::copy(config, dir / "config.yaml");
  const std::string mine = read_text(dir / "config.yaml");
  const WorkingDirectory there(dir.path());
  const Ended ended = train_config("config.yaml", ".", {"--overwrite"});
  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.err, HasSubstr("working directory"));
  EXPECT_EQ(read_text(dir / "config.yaml"), mine);
  EXPECT_FALSE(has("best.safetensors"));
}

TEST_F(RunFolder, ResumesAfterItWasMoved) {
  const WorkingDirectory there(dir.path());
  ASSERT_EQ(train_config("tiny.yaml", "./run", {"--set", kShort}).code, 0);
  EXPECT_THAT(read_text(dir / "run/config.yaml"), Not(HasSubstr("run/source.model")));
  std::filesystem::rename(dir / "run", dir / "moved");
  const Ended ended = train_config("tiny.yaml", "moved", {"--resume"});
  EXPECT_EQ(ended.code, 0) << ended.err;
}

TEST_F(RunFolder, ResumesFineTuningWithoutTheOriginalModel) {
  ASSERT_EQ(train({"--set", kShort}, "first").code, 0);
  const std::string from = "training.init_from=" + (dir / "first").string();
  ASSERT_EQ(train({"--set", from, "--set", kShort}).code, 0);
  std::filesystem::remove_all(dir / "first");
  const Ended ended = train({"--set", from, "--resume"});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.err, HasSubstr("resuming after update 1"));
}

TEST_F(RunFolder, KeepsTheSamplesOfItsPageIfAFinishedRunIsResumed) {
  ASSERT_EQ(train({}).code, 0);
  const std::string page = read_text(dir / "run/report.html");
  ASSERT_THAT(page, HasSubstr("Translations at the last validation"));
  ASSERT_EQ(train({"--resume"}).code, 0);
  EXPECT_EQ(read_text(dir / "run/report.html"), page);
}

// Scores of another metric could not be compared with the best score so far.
TEST_F(RunFolder, IsNotResumedWithAnotherValidationMetric) {
  train_shortly();
  for (const char* setting :
       {"training.validation.metric=loss", "training.validation.tokenize=char",
        "training.validation.lowercase=true", "training.validation.max_sentences=1"}) {
    const Ended ended = train({"--resume", "--set", setting});
    EXPECT_EQ(ended.code, 2) << setting;
    EXPECT_THAT(ended.err, HasSubstr("a resumed run must keep this value"));
  }
}

}  // namespace
}  // namespace attend::cli
