#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/fault_point.h"
#include "core/random.h"
#include "tests/cli/program.h"
#include "tests/cli/tiny_model.h"
#include "tests/support/temp_dir.h"

namespace attend::cli {
namespace {

using attend::test::read_text;
using test::Ended;
using testing::AllOf;
using testing::HasSubstr;

/// 130 lines: seven blocks with --batch-size 1, of 20 lines except the last one.
class TranslateShards : public testing::Test {
 protected:
  static void SetUpTestSuite() { model_.make(); }
  static void TearDownTestSuite() { model_.clear(); }

  TranslateShards() {
    std::string text;
    for (int i = 0; i < 130; ++i)
      text += i % 11 == 3 ? "\n" : (i % 2 == 0 ? "a b c\n" : "d a\n") + std::string(i % 3, ' ');
    dir_.write("text", text);
    whole_ = translated("whole", {});
  }
  ~TranslateShards() override { plan_faults(""); }

  [[nodiscard]] Ended translate(const std::string& output,
                                const std::vector<std::string>& more) const {
    std::vector<std::string> arguments = {
        "translate",    "--model", model_.path(), "--input",  at("text"), "--output",  at(output),
        "--batch-size", "1",       "--scores",    "--device", "cpu",      "--threads", "1"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return test::run_program(arguments);
  }
  [[nodiscard]] std::string translated(const std::string& output,
                                       const std::vector<std::string>& more) const {
    const Ended ended = translate(output, more);
    EXPECT_EQ(ended.code, 0) << ended.err;
    return ended.code == 0 ? read_text(dir_ / output) : "";
  }
  [[nodiscard]] std::string at(const std::string& name) const { return (dir_ / name).string(); }
  [[nodiscard]] bool has(const std::string& name) const {
    return std::filesystem::exists(dir_ / name);
  }
  void make_shards(int count) const {
    for (int i = 1; i <= count; ++i) {
      const std::string number = std::to_string(i);
      (void)translated("out." + number, {"--shard", number + "/" + std::to_string(count)});
    }
  }
  [[nodiscard]] Ended merge(const std::vector<std::string>& names) const {
    std::vector<std::string> arguments = {"merge"};
    for (const std::string& name : names) arguments.push_back(at(name));
    arguments.insert(arguments.end(), {"--output", at("merged")});
    return test::run_program(arguments);
  }

  static test::SuiteModel model_;
  attend::test::TempDir dir_;
  std::string whole_;
};

test::SuiteModel TranslateShards::model_;

TEST_F(TranslateShards, MayHaveANameWithoutFolder) {
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(dir_.path());
  const Ended ended = test::run_program({"translate", "--model", model_.path(), "--input", "text",
                                         "--output", "here", "--shard", "1/2", "--threads", "1"});
  std::filesystem::current_path(before);
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_TRUE(has("here"));
}

TEST_F(TranslateShards, FourMergeToWhatOneProcessWrites) {
  make_shards(4);
  const Ended ended = merge({"out.3", "out.1", "out.4", "out.2"});
  ASSERT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.err, HasSubstr("merged 4 shards: 130 lines"));
  EXPECT_EQ(read_text(dir_ / "merged"), whole_);
  EXPECT_LT(read_text(dir_ / "out.1").size(), whole_.size() / 2);
  EXPECT_FALSE(has("out.1.part"));
  EXPECT_FALSE(has("out.1.journal"));
}

TEST_F(TranslateShards, MayBeMoreThanThereAreBlocks) {
  make_shards(9);
  EXPECT_EQ(read_text(dir_ / "out.9"), "");
  const Ended ended =
      merge({"out.1", "out.2", "out.3", "out.4", "out.5", "out.6", "out.7", "out.8", "out.9"});
  ASSERT_EQ(ended.code, 0) << ended.err;
  EXPECT_EQ(read_text(dir_ / "merged"), whole_);
}

TEST_F(TranslateShards, AreRefusedIfOneIsMissingOrDuplicated) {
  make_shards(3);
  Ended ended = merge({"out.1", "out.3"});
  EXPECT_EQ(ended.code, 3);
  EXPECT_THAT(ended.err, HasSubstr("2 of 3 shards"));
  ended = merge({"out.1", "out.3", "out.1"});
  EXPECT_EQ(ended.code, 3);
  EXPECT_THAT(ended.err, AllOf(HasSubstr("out.1"), HasSubstr("shard 1/3")));
  ended = merge({"whole"});
  EXPECT_EQ(ended.code, 3);
  EXPECT_THAT(ended.err, HasSubstr("whole.shard is missing beside it; copy it as well"));
  EXPECT_FALSE(has("merged"));
}

TEST_F(TranslateShards, AreRefusedForAnotherTextOrOtherOptions) {
  make_shards(2);
  (void)translated("other", {"--shard", "2/2", "--beam", "1"});
  EXPECT_THAT(merge({"out.1", "other"}).err, HasSubstr("different options"));
  dir_.write("text", read_text(dir_ / "text") + "a\n");
  (void)translated("longer", {"--shard", "2/2"});
  const Ended ended = merge({"out.1", "longer"});
  EXPECT_EQ(ended.code, 3);
  EXPECT_THAT(ended.err, AllOf(HasSubstr("different inputs"), HasSubstr("131")));
}

TEST_F(TranslateShards, AreRefusedIfChanged) {
  make_shards(2);
  std::string text = read_text(dir_ / "out.2");
  text[5] = '#';
  dir_.write("out.2", text);
  const Ended ended = merge({"out.1", "out.2"});
  EXPECT_EQ(ended.code, 3);
  EXPECT_THAT(ended.err, AllOf(HasSubstr("out.2"), HasSubstr("was changed after it was written")));
  EXPECT_FALSE(has("merged"));
}

// Regression: these were reported as internal errors.
TEST_F(TranslateShards, AreRefusedIfTheirRecordIsDamaged) {
  make_shards(1);
  const std::string whole = read_text(dir_ / "out.1.shard");
  const auto with = [&](const std::string& name, const nlohmann::json& value) {
    nlohmann::json record = nlohmann::json::parse(whole);
    (record.contains(name) ? record : record["blocks"][1])[name] = value;
    dir_.write("out.1.shard", record.dump());
    return merge({"out.1"});
  };
  for (const int64_t bytes : {int64_t{-1}, int64_t{1} << 60}) {
    const Ended ended = with("bytes", bytes);
    EXPECT_EQ(ended.code, 3);
    EXPECT_THAT(ended.err, HasSubstr("was changed after it was written"));
  }
  const Ended ended = with("shard", "env");
  EXPECT_EQ(ended.code, 3);
  EXPECT_THAT(ended.err, HasSubstr("is damaged"));
}

// A script with N = 1 or a launcher with one process makes a single shard.
TEST_F(TranslateShards, MayBeOne) {
  make_shards(1);
  const Ended ended = merge({"out.1"});
  ASSERT_EQ(ended.code, 0) << ended.err;
  EXPECT_EQ(read_text(dir_ / "merged"), whole_);
}

TEST_F(TranslateShards, OfDifferentDevicesMerge) {
  (void)translated("out.1", {"--shard", "1/2"});
  const Ended second = test::run_program({"translate", "--model", model_.path(), "--input",
                                          at("text"), "--output", at("out.2"), "--batch-size", "1",
                                          "--scores", "--threads", "1", "--shard", "2/2"});
  ASSERT_EQ(second.code, 0) << second.err;
  const Ended ended = merge({"out.1", "out.2"});
  EXPECT_EQ(ended.code, 0) << ended.err;
}

TEST_F(TranslateShards, RefuseALogFileAsOutput) {
  make_shards(2);
  const std::string before = read_text(dir_ / "out.2");
  EXPECT_EQ(test::run_program({"merge", at("out.1"), at("out.2"), "--output", at("merged"),
                               "--log-file", at("out.2")})
                .code,
            2);
  EXPECT_EQ(read_text(dir_ / "out.2"), before);
}

TEST_F(TranslateShards, KeepALinkAndNameAMissingFolder) {
  std::filesystem::create_symlink(dir_ / "target", dir_ / "link");
  (void)translated("link", {"--resume"});
  EXPECT_TRUE(std::filesystem::is_symlink(dir_ / "link"));
  EXPECT_EQ(read_text(dir_ / "target"), whole_);
  const Ended ended = translate("no/such/out", {"--shard", "1/2"});
  EXPECT_EQ(ended.code, 3);
  EXPECT_THAT(ended.err, HasSubstr("does not exist"));
}

TEST_F(TranslateShards, NeedAFileAndOnlyText) {
  EXPECT_EQ(translate("-", {"--shard", "1/2", "--output", "-"}).code, 2);
  const Ended ended = translate("x", {"--shard", "1/2", "--alignments", at("links")});
  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.err, HasSubstr("--alignments"));
}

// Regression: such files were overwritten and then removed; the target of a link was overwritten
// too.
TEST_F(TranslateShards, KeepFilesBesideTheOutputThatAreNotTheirs) {
  for (const char* name : {"out.part", "out.journal", "out.shard", "out.lock"}) {
    for (const bool link : {false, true}) {
      const auto target = dir_.write(link ? "precious" : name, "precious");
      if (link) std::filesystem::create_symlink("precious", dir_ / name);
      for (const std::vector<std::string>& how :
           {std::vector<std::string>{"--shard", "1/1"}, {"--shard", "1/1", "--resume"}}) {
        const Ended ended = translate("out", how);
        EXPECT_EQ(ended.code, 3) << name;
        EXPECT_THAT(ended.err, HasSubstr(name));
      }
      EXPECT_EQ(read_text(target), "precious") << name;
      EXPECT_FALSE(has("out")) << name;
      std::filesystem::remove(dir_ / name);
    }
  }
  EXPECT_EQ(translated("out", {"--shard", "1/1"}), whole_);
}

TEST_F(TranslateShards, KeepAnInputWithTheNameOfTheirPart) {
  const std::string text = read_text(dir_ / "text");
  dir_.write("out.part", text);
  const Ended ended = test::run_program({"translate", "--model", model_.path(), "--input",
                                         at("out.part"), "--output", at("out"), "--resume"});
  EXPECT_EQ(ended.code, 3) << ended.err;
  EXPECT_EQ(read_text(dir_ / "out.part"), text);
}

// Their own files come from an unfinished translation, or from a finished one of the same name.
TEST_F(TranslateShards, ReplaceTheirOwnFiles) {
  plan_faults("only=append,fail=1");
  ASSERT_EQ(translate("out", {"--shard", "1/1", "--resume"}).code, 3);
  plan_faults("");
  EXPECT_TRUE(has("out.part"));
  for (int i = 0; i < 2; ++i) EXPECT_EQ(translated("out", {"--shard", "1/1"}), whole_);
}

using ResumedTranslation = TranslateShards;

TEST_F(ResumedTranslation, GivesTheSameBytesWhereverItStopped) {
  int stops = 0;
  for (int step = 1; step < 40; ++step) {
    plan_faults("only=append,fail=" + std::to_string(step));
    const Ended stopped = translate("out", {"--resume"});
    plan_faults("");
    if (stopped.code == 0) break;
    ++stops;
    EXPECT_EQ(stopped.code, 3);
    EXPECT_FALSE(has("out"));
    EXPECT_EQ(translated("out", {"--resume"}), whole_);
    EXPECT_FALSE(has("out.journal"));
    std::filesystem::remove(dir_ / "out");
  }
  EXPECT_EQ(stops, 15);  // the journal's head, and the text and journal line of each block
}

// A killed process or a power cut may leave files of any length.
TEST_F(ResumedTranslation, ResumesFromFilesOfAnyLength) {
  plan_faults("only=append,fail=14");
  ASSERT_EQ(translate("out", {"--resume"}).code, 3);
  plan_faults("");
  const std::string journal = read_text(dir_ / "out.journal");
  const std::string part = read_text(dir_ / "out.part");
  Random random = stream(1, "lengths");
  for (int i = 0; i < 12; ++i) {
    dir_.write("out.journal", journal.substr(0, random.below(journal.size())));
    dir_.write("out.part", part.substr(0, random.below(part.size())) + (i % 2 == 0 ? "" : "x"));
    EXPECT_EQ(translated("out", {"--resume"}), whole_);
  }
}

TEST_F(ResumedTranslation, TranslatesNothingTwice) {
  plan_faults("only=append,fail=10");
  ASSERT_EQ(translate("out", {"--resume"}).code, 3);
  plan_faults("");
  const Ended ended = translate("out", {"--resume"});
  EXPECT_THAT(ended.err,
              AllOf(HasSubstr("resuming after input line 80"), HasSubstr("translated 50 lines")));
}

TEST_F(ResumedTranslation, RefusesOtherOptionsAndAnotherText) {
  plan_faults("only=append,fail=10");
  ASSERT_EQ(translate("out", {"--resume"}).code, 3);
  plan_faults("");
  Ended ended = translate("out", {"--resume", "--beam", "1"});
  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.err, AllOf(HasSubstr("another options"), HasSubstr("--beam 1")));
  dir_.write("text", "b\n" + read_text(dir_ / "text"));
  ended = translate("out", {"--resume"});
  EXPECT_EQ(ended.code, 3);
  EXPECT_THAT(ended.err, AllOf(HasSubstr("the input is not the one"), HasSubstr("line 21")));
}

TEST_F(ResumedTranslation, OfAShardMergesToo) {
  plan_faults("only=append,fail=4");
  ASSERT_EQ(translate("out.1", {"--shard", "1/2", "--resume"}).code, 3);
  plan_faults("");
  (void)translated("out.1", {"--shard", "1/2", "--resume"});
  (void)translated("out.2", {"--shard", "2/2"});
  ASSERT_EQ(merge({"out.1", "out.2"}).code, 0);
  EXPECT_EQ(read_text(dir_ / "merged"), whole_);
}

TEST_F(ResumedTranslation, WithoutTheFlagLeavesNoUnfinishedFiles) {
  plan_faults("only=append,fail=6");
  ASSERT_EQ(translate("out.1", {"--shard", "1/2"}).code, 3);
  plan_faults("");
  EXPECT_FALSE(has("out.1.part"));
  EXPECT_FALSE(has("out.1.journal"));
}

}  // namespace
}  // namespace attend::cli
