#include "cli/cmd_train.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include <csignal>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/experiment.h"
#include "config/load.h"
#include "core/fault_point.h"
#include "core/signal.h"
#include "model/weights_file.h"
#include "tests/cli/program.h"
#include "tests/support/temp_dir.h"

namespace attend::cli {
namespace {

using attend::test::read_text;
using attend::test::TempDir;
using nlohmann::json;
using test::Ended;
using testing::AllOf;
using testing::HasSubstr;

constexpr const char* kConfig = R"(
seed: 3
data:
  train: {source: train.src, target: train.tgt}
  dev: {source: dev.src, target: dev.tgt}
tokenizer: {type: word, vocabulary: 16, joint: false}
model:
  embedding: 6
  encoder: {cell: gru, hidden: 5}
  decoder: {cell: gru, hidden: 7, wiring: luong}
training:
  batch: {size: 4, unit: sentences}
  max_epochs: 2
  log_every: 1
decoding: {beam: 2}
)";

/// A folder with a corpus of 13 pairs, which are 4 batches an epoch however large the first one is,
/// and a config for it.
class Train : public testing::Test {
 protected:
  Train() {
    std::string source;
    std::string target;
    for (int i = 0; i < 3; ++i) {
      source += "a b c\nb c d\nc d a b\nd a\n";
      target += "w x y\nx y z\ny z w x\nz w\n";
    }
    dir.write("train.src", source + "a d\n");
    dir.write("train.tgt", target + "w z\n");
    dir.write("dev.src", "a b\nc d\n");
    dir.write("dev.tgt", "w x\ny z\n");
    dir.write("tiny.yaml", kConfig);
  }
  void TearDown() override {
    clear_requested_stop();
    plan_faults("");
  }

  Ended train(const std::vector<std::string>& more, const std::string& output = "run") const {
    std::vector<std::string> arguments = {"train",     (dir / "tiny.yaml").string(),
                                          "--output",  (dir / output).string(),
                                          "--device",  "cpu",
                                          "--threads", "1"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return test::run_program(arguments);
  }

  std::vector<std::string> history(const std::string& output = "run") const {
    std::vector<std::string> lines;
    std::istringstream text(read_text(dir / output / "train.jsonl"));
    for (std::string line; std::getline(text, line);) {
      json object = json::parse(line);
      object.erase("timing");
      lines.push_back(object.dump());
    }
    return lines;
  }

  void write_in_run(const std::string& name, const std::string& content) const {
    std::filesystem::create_directories(dir / "run");
    dir.write("run/" + name, content);
  }

  bool has(const std::string& name) const { return std::filesystem::exists(dir / name); }

  TempDir dir;
};

TEST_F(Train, LeavesAWholeModelDirectory) {
  const Ended ended = train({});
  ASSERT_EQ(ended.code, 0) << ended.err;
  EXPECT_EQ(ended.out, "");
  for (const char* name : {"config.yaml", "source.model", "target.model", "best.safetensors",
                           "last.safetensors", "last.state", "train.jsonl", "report.html"}) {
    EXPECT_TRUE(has(std::string("run/") + name)) << name;
  }
}

TEST_F(Train, LogsWhatRunsAndHowItGoes) {
  const Ended ended = train({"--set", "training.max_updates=5"});
  EXPECT_THAT(ended.err,
              AllOf(HasSubstr("attend train "), HasSubstr("--set training.max_updates=5"),
                    HasSubstr("seed 3"), HasSubstr("device cpu"), HasSubstr("13 of 13 pairs"),
                    HasSubstr("parameters"), HasSubstr("update=5 epoch=1.25 loss="),
                    HasSubstr("validation update=4"), HasSubstr("max_updates 5 reached")));
}

TEST_F(Train, WritesAConfigThatNamesTheTokenizersPlainly) {
  ASSERT_EQ(train({}).code, 0);
  EXPECT_THAT(read_text(dir / "run/config.yaml"),
              AllOf(HasSubstr("source.model"), testing::Not(HasSubstr("run/source.model"))));
  const auto loaded = config::load<Experiment>(dir / "run/config.yaml");
  EXPECT_EQ(loaded.tokenizer.model[1], (dir / "run/target.model").string());
  EXPECT_EQ(loaded.data.train[0].source, (dir / "train.src").string());
}

TEST_F(Train, SeedOnTheCommandLineWins) {
  ASSERT_EQ(train({"--seed", "8"}).code, 0);
  EXPECT_EQ(config::load<Experiment>(dir / "run/config.yaml").seed, 8);
}

TEST_F(Train, RefusesAFolderThatExists) {
  write_in_run("precious.txt", "work");
  const Ended ended = train({});
  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.err, AllOf(HasSubstr("--resume"), HasSubstr("--overwrite")));
  EXPECT_FALSE(has("run/config.yaml"));
}

TEST_F(Train, OverwritesOnlyWhatARunLeaves) {
  write_in_run("precious.txt", "work");
  write_in_run("update-00000007.safetensors", "old");
  write_in_run("joint.model", "old");
  ASSERT_EQ(train({"--overwrite"}).code, 0);
  EXPECT_EQ(read_text(dir / "run/precious.txt"), "work");
  EXPECT_FALSE(has("run/update-00000007.safetensors"));
  EXPECT_FALSE(has("run/joint.model"));
}

TEST_F(Train, KeepsTheOldRunWhereTheNewOneCannotBegin) {
  write_in_run("best.safetensors", "old");
  dir.write("train.tgt", "w x y\n");
  const Ended ended = train({"--overwrite"});
  EXPECT_EQ(ended.code, 3);
  EXPECT_THAT(ended.err, AllOf(HasSubstr("train.src"), HasSubstr("train.tgt")));
  EXPECT_EQ(read_text(dir / "run/best.safetensors"), "old");
}

TEST_F(Train, NamesAMissingTextAtOnce) {
  const Ended ended = train({"--set", "data.dev.source=nowhere.src"});
  EXPECT_EQ(ended.code, 3);
  EXPECT_THAT(ended.err, HasSubstr("nowhere.src"));
  EXPECT_FALSE(has("run"));
}

TEST_F(Train, DryRunWritesNothing) {
  const Ended ended = train({"--dry-run"});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.err, AllOf(HasSubstr("13 of 13 pairs"), HasSubstr("parameters")));
  EXPECT_FALSE(has("run"));
}

TEST_F(Train, ResumedRunEqualsAWholeOne) {
  ASSERT_EQ(train({"--set", "training.max_updates=2"}).code, 0);
  ASSERT_EQ(train({}, "whole").code, 0);
  const Ended ended = train({"--resume"});
  ASSERT_EQ(ended.code, 0) << ended.err;
  const auto resumed = model::load_tensors(dir / "run/last.safetensors").tensors;
  for (const auto& [name, tensor] : model::load_tensors(dir / "whole/last.safetensors").tensors) {
    EXPECT_TRUE(torch::equal(resumed.at(name), tensor)) << name;
  }
}

TEST_F(Train, SamplesSubwordsTheSameWayAfterResuming) {
  const std::vector<std::string> sampling = {"--set", "tokenizer.type=bpe",
                                             "--set", "tokenizer.sampling=0.5",
                                             "--set", "tokenizer.vocabulary=14"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.end(), sampling.begin(), sampling.end());
    return more;
  };
  ASSERT_EQ(train(with({}), "whole").code, 0);
  std::raise(SIGTERM);
  EXPECT_EQ(train(with({})).code, 128 + SIGTERM);
  clear_requested_stop();
  ASSERT_EQ(train(with({"--resume"})).code, 0);
  EXPECT_EQ(history(), history("whole"));
}

/// Links for the 13 pairs of the corpus.
std::string links_of_corpus() {
  std::string links;
  for (int i = 0; i < 3; ++i) links += "0-0 1-1 2-2\n0-0\n0-1 1-2 2-3 3-0\n\n";
  return links + "1-1\n";
}

TEST_F(Train, GuidesAttentionByAFileOfLinks) {
  const auto links = dir.write("train.links", links_of_corpus()).string();
  ASSERT_EQ(train({"--set", "training.guided_alignment.links=" + links}).code, 0);
  for (const std::string& line : history()) {
    const json object = json::parse(line);
    EXPECT_EQ(object.contains("alignment_loss"), object["type"] == "train") << line;
  }
  EXPECT_EQ(config::load<Experiment>(dir / "run/config.yaml").training.guided_alignment.links,
            std::vector{links});
}

TEST_F(Train, GuidesSampledSubwordsTheSameWayAfterResuming) {
  const auto links = dir.write("train.links", links_of_corpus()).string();
  const auto with = [&](std::vector<std::string> more) {
    for (const char* setting : {"tokenizer.type=bpe", "tokenizer.sampling=0.5",
                                "tokenizer.vocabulary=14", "training.log_every=3"})
      more.insert(more.end(), {"--set", setting});
    more.insert(more.end(), {"--set", "training.guided_alignment.links=" + links});
    return more;
  };
  ASSERT_EQ(train(with({}), "whole").code, 0);
  ASSERT_EQ(train(with({"--set", "training.max_updates=5"})).code, 0);
  ASSERT_EQ(train(with({"--resume"})).code, 0);
  const auto resumed = model::load_tensors(dir / "run/last.safetensors").tensors;
  for (const auto& [name, tensor] : model::load_tensors(dir / "whole/last.safetensors").tensors) {
    EXPECT_TRUE(torch::equal(resumed.at(name), tensor)) << name;
  }
}

TEST_F(Train, NamesThePlaceOfALinkOutsideItsPair) {
  const auto links = dir.write("train.links", "0-0\n0-3\n").string();
  const Ended ended = train({"--set", "training.guided_alignment.links=" + links});
  EXPECT_EQ(ended.code, 3);
  EXPECT_THAT(ended.err, AllOf(HasSubstr("train.links:2:1: "), HasSubstr("0-3"),
                               HasSubstr("target"), HasSubstr("3 words")));
  EXPECT_FALSE(has("run"));
}

TEST_F(Train, NamesBothCountsWhereLinksAndTextDiffer) {
  const auto links = dir.write("train.links", "0-0\n0-1\n").string();
  const Ended ended = train({"--set", "training.guided_alignment.links=" + links});
  EXPECT_EQ(ended.code, 3);
  EXPECT_THAT(ended.err, AllOf(HasSubstr("train.links has 2 lines"), HasSubstr("has 13")));
}

TEST_F(Train, NamesAMissingFileOfLinksAtOnce) {
  const Ended ended = train({"--set", "training.guided_alignment.links=nowhere.links"});
  EXPECT_EQ(ended.code, 3);
  EXPECT_THAT(ended.err, HasSubstr("nowhere.links"));
}

TEST_F(Train, RefusesToGuideAModelWithoutAttention) {
  const auto links = dir.write("train.links", links_of_corpus()).string();
  const Ended ended = train(
      {"--set", "training.guided_alignment.links=" + links, "--set", "model.decoder.wiring=none"});
  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.err, AllOf(HasSubstr("training.guided_alignment.links"),
                               HasSubstr("model.decoder.wiring"), HasSubstr("no attention")));
}

TEST_F(Train, WantsAFileOfLinksForEveryText) {
  const auto links = dir.write("train.links", links_of_corpus()).string();
  const Ended ended =
      train({"--set", "training.guided_alignment.links=[" + links + ", " + links + "]"});
  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.err,
              AllOf(HasSubstr("2 files of links"), HasSubstr("1 pair of training text")));
}

TEST_F(Train, StopsOnASignalWithItsStateSaved) {
  install_signal_handlers();
  std::raise(SIGINT);
  const Ended ended = train({});
  EXPECT_EQ(ended.code, 128 + SIGINT);
  EXPECT_THAT(ended.err, HasSubstr("--resume"));
  EXPECT_TRUE(has("run/last.state"));
}

TEST_F(Train, ResumeRefusesAnotherModelAndNamesEveryKeyWithItsPlace) {
  ASSERT_EQ(train({"--set", "training.max_updates=1"}).code, 0);
  std::string config = kConfig;
  const std::string cell = "decoder: {cell: gru";
  config.replace(config.find(cell), cell.size(), "decoder: {cell: lstm");
  dir.write("tiny.yaml", config);
  const Ended ended = train({"--resume", "--set", "model.embedding=8", "--seed", "9"});
  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.err, AllOf(HasSubstr("tiny.yaml:10:13: error: model.decoder.cell: lstm, but "
                                         "the run in "),
                               HasSubstr("has gru"),
                               HasSubstr("--set model.embedding=8: error: model.embedding: 8, but"),
                               HasSubstr("has 6"), HasSubstr("--seed 9: error: seed: 9, but"),
                               HasSubstr("--overwrite")));
}

// The key is in the run, but no longer in the config.
TEST_F(Train, ResumeNamesTheConfigWhereAKeyHasItsDefault) {
  ASSERT_EQ(train({"--set", "training.max_updates=1", "--set", "model.tie=decoder", "--set",
                   "model.embedding=7"})
                .code,
            0);
  const Ended ended = train({"--resume", "--set", "model.embedding=7"});
  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.err, HasSubstr("tiny.yaml: error: model.tie: none, but the run in "));
}

TEST_F(Train, ResumeRefusesAMovingAverageThatTheRunDidNotHave) {
  ASSERT_EQ(train({"--set", "training.max_updates=1"}).code, 0);
  const Ended ended = train({"--resume", "--set", "training.ema=0.9"});
  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.err, HasSubstr("training.ema: 0.9, but the run in "));
}

TEST_F(Train, ResumeAcceptsAndLogsWhatMayChange) {
  ASSERT_EQ(train({"--set", "training.max_epochs=1"}).code, 0);
  const Ended ended = train({"--resume", "--set", "model.dropout.output=0.25"});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.err, AllOf(HasSubstr("training.max_epochs 2 (was 1)"),
                               HasSubstr("model.dropout.output 0.25 (was 0"),
                               HasSubstr("resuming after update 4, epoch 1.00"),
                               HasSubstr("max_epochs 2 reached")));
  EXPECT_EQ(config::load<Experiment>(dir / "run/config.yaml").training.max_epochs, 2);
}

TEST_F(Train, ResumeSaysWhereTheTextIsAnother) {
  ASSERT_EQ(train({"--set", "training.max_updates=2"}).code, 0);
  dir.write("train.src", "a b\nb c\nc d\na d\nb d\n");
  dir.write("train.tgt", "w x\nx y\ny z\nw z\nx z\n");
  const Ended ended = train({"--resume"});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.err, HasSubstr("epoch 1 begins anew"));
}

TEST_F(Train, ResumeWithoutARunStartsOne) {
  EXPECT_EQ(train({"--resume"}).code, 0);
  EXPECT_TRUE(has("run/best.safetensors"));
}

TEST_F(Train, ResumeGoesBackToTheStateBeforeADamagedOne) {
  ASSERT_EQ(train({}, "whole").code, 0);
  ASSERT_EQ(
      train({"--set", "training.max_updates=6", "--set", "training.save_every.updates=1"}).code, 0);
  write_in_run("last.state", "damaged");
  const Ended ended = train({"--resume"});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.err, AllOf(HasSubstr("last.state: "), HasSubstr("no safetensors file"),
                               HasSubstr("going on from the state before it, of update ")));
  EXPECT_EQ(read_text(dir / "run/last.safetensors"), read_text(dir / "whole/last.safetensors"));
}

TEST_F(Train, ResumeNamesADamagedState) {
  ASSERT_EQ(train({"--set", "training.max_updates=1"}).code, 0);
  std::string bytes = read_text(dir / "run/last.state");
  bytes.back() = static_cast<char>(bytes.back() ^ 1);
  write_in_run("last.state", bytes);
  write_in_run("previous.state", bytes);
  const std::string config = read_text(dir / "run/config.yaml");
  const Ended ended = train({"--resume", "--set", "training.max_updates=2"});
  EXPECT_EQ(ended.code, 3);
  EXPECT_THAT(ended.err, AllOf(HasSubstr("last.state"), HasSubstr("checksum")));
  EXPECT_EQ(read_text(dir / "run/config.yaml"), config) << "nothing changes where nothing goes on";
}

TEST_F(Train, ResumesWhereOnlyTheStateBeforeIsLeft) {
  ASSERT_EQ(train({"--set", "training.max_updates=1"}).code, 0);
  std::filesystem::remove(dir / "run/last.state");
  const Ended ended = train({"--resume"});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.err, HasSubstr("resuming after update 1"));
}

TEST_F(Train, ResumeClearsAwayFilesThatWereBeingWritten) {
  ASSERT_EQ(train({"--set", "training.max_updates=1"}).code, 0);
  for (const char* name : {"last.state.tmp", "update-00000001.safetensors.tmp", "notes.tmp"}) {
    write_in_run(name, "half");
  }
  ASSERT_EQ(train({"--resume"}).code, 0);
  EXPECT_FALSE(has("run/last.state.tmp"));
  EXPECT_FALSE(has("run/update-00000001.safetensors.tmp"));
  EXPECT_TRUE(has("run/notes.tmp")) << "not ours";
}

// A process that is killed while it clears an old run away must not leave a state without config.
TEST_F(Train, OverwriteClearsTheStateAwayFirst) {
  ASSERT_EQ(train({"--set", "training.max_updates=1"}).code, 0);
  plan_faults("fail=1,only=remove config.yaml");
  EXPECT_EQ(train({"--overwrite"}).code, 3);
  plan_faults("");
  EXPECT_FALSE(has("run/last.state"));
  EXPECT_FALSE(has("run/previous.state"));
  EXPECT_EQ(train({"--resume"}).code, 0);
}

TEST_F(Train, SaysThatItGoesOnWhereAFileCannotBeWritten) {
  plan_faults("fail=2-2,only=rename last.state");
  const Ended ended = train({"--set", "training.save_every.updates=3"});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.err, AllOf(HasSubstr("update 3: "), HasSubstr("last.state: cannot write"),
                               HasSubstr("No space left"), HasSubstr("on_save_error")));
}

TEST_F(Train, EndsWhereAFileCannotBeWrittenIfAsked) {
  plan_faults("fail=2-2,only=rename last.state");
  const Ended ended =
      train({"--set", "training.save_every.updates=3", "--set", "training.on_save_error=stop"});
  EXPECT_EQ(ended.code, 3);
  plan_faults("");
  EXPECT_THAT(train({"--resume"}).err, HasSubstr("resuming after update 0"));
}

TEST_F(Train, GoesOnWithoutItsPage) {
  plan_faults("fail=1-1,only=open report.html");
  const Ended ended = train({});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.err, HasSubstr("report.html: cannot write"));
  EXPECT_TRUE(has("run/report.html")) << "it is written again later";
}

TEST_F(Train, StartsFromTheWeightsAndVocabularyOfAnotherModel) {
  ASSERT_EQ(train({}, "first").code, 0);
  const std::string from = "training.init_from=" + (dir / "first").string();
  const Ended ended =
      train({"--set", from, "--set", "training.learning_rate=1e-30", "--set", "seed=9"});
  ASSERT_EQ(ended.code, 0) << ended.err;
  EXPECT_EQ(read_text(dir / "run/source.model"), read_text(dir / "first/source.model"));
  const auto start = model::load_tensors(dir / "first/best.safetensors").tensors;
  for (const auto& [name, tensor] : model::load_tensors(dir / "run/last.safetensors").tensors) {
    EXPECT_TRUE(torch::equal(start.at(name), tensor)) << name;
  }
}

TEST_F(Train, NamesWeightsToStartFromThatDoNotFit) {
  ASSERT_EQ(train({}, "first").code, 0);
  const std::string from = "training.init_from=" + (dir / "first").string();
  const Ended ended = train({"--set", from, "--set", "model.embedding=8"});
  EXPECT_EQ(ended.code, 3);
  EXPECT_THAT(ended.err, AllOf(HasSubstr("first/best.safetensors"), HasSubstr("do not fit")));
}

TEST_F(Train, CanDoWithoutDevelopmentText) {
  const Ended ended = train({"--set", "data.dev={source: null, target: null}"});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.err, HasSubstr("nothing is validated"));
  EXPECT_TRUE(has("run/best.safetensors"));
}

}  // namespace
}  // namespace attend::cli
