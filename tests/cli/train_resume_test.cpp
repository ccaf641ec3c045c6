// Runs that stop, fail and resume.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include <csignal>
#include <thread>

#include "app/config/experiment.h"
#include "config/load.h"
#include "core/fault_point.h"
#include "core/signal.h"
#include "storage/weights_file.h"
#include "tests/cli/train_fixture.h"

namespace attend::cli {
namespace {

using attend::test::read_text;
using test::Ended;
using test::kConfig;
using testing::AllOf;
using testing::HasSubstr;

class Resume : public test::TrainFixture {};

TEST_F(Resume, EqualsAWholeRun) {
  ASSERT_EQ(train({"--set", "training.max_updates=2"}).code, 0);
  ASSERT_EQ(train({}, "whole").code, 0);
  const Ended ended = train({"--resume"});
  ASSERT_EQ(ended.code, 0) << ended.err;
  const auto resumed = storage::load_tensors(dir / "run/last.safetensors").tensors;
  for (const auto& [name, tensor] : storage::load_tensors(dir / "whole/last.safetensors").tensors) {
    EXPECT_TRUE(torch::equal(resumed.at(name), tensor)) << name;
  }
}

TEST_F(Resume, SamplesSubwordsTheSameWayAfterResuming) {
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

TEST_F(Resume, StopsOnASignalWithItsStateSaved) {
  install_signal_handlers();
  const std::jthread interrupter([this](const std::stop_token& over) {
    while (!over.stop_requested() && !has("run/last.state")) std::this_thread::yield();
    if (!over.stop_requested()) std::raise(SIGTERM);
  });
  const Ended ended =
      train({"--set", "training.max_epochs=1000000", "--set", "training.patience=0", "--quiet"});
  EXPECT_EQ(ended.code, 128 + SIGTERM);
  EXPECT_THAT(ended.err, HasSubstr("--resume"));
  EXPECT_TRUE(has("run/last.state"));
}

TEST_F(Resume, RefusesAnotherModelAndNamesEveryKeyWithItsPlace) {
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

// Scores of another search could not be compared with the best score so far.
TEST_F(Resume, RefusesAnotherSearchIfBleuDecides) {
  ASSERT_EQ(train({"--set", "training.max_updates=1"}).code, 0);
  ASSERT_EQ(train({"--set", "training.max_updates=1", "--set", "training.validation.metric=loss"},
                  "by_loss")
                .code,
            0);
  for (const char* key :
       {"training.validation.beam", "decoding.length_penalty", "decoding.coverage_penalty",
        "decoding.max_length_ratio", "decoding.no_repeat_ngram_size"}) {
    const std::string setting = key + std::string("=3");
    const Ended ended = train({"--resume", "--set", setting});
    EXPECT_EQ(ended.code, 2) << key;
    EXPECT_THAT(ended.err, HasSubstr(key + std::string(": 3, but the run in ")));
    EXPECT_EQ(train({"--resume", "--set", setting, "--set", "training.validation.metric=loss",
                     "--set", "training.max_updates=1"},
                    "by_loss")
                  .code,
              0)
        << key << " does not matter to the loss";
  }
}

// The files have other lines, but the config is unchanged.
TEST_F(Resume, RefusesAnotherValidationSet) {
  ASSERT_EQ(train({"--set", "training.max_epochs=1"}).code, 0);
  const std::string best = read_text(dir / "run/best.safetensors");
  dir.write("dev.tgt", "w x\nz y\n");
  const Ended ended = train({"--resume"});
  EXPECT_EQ(ended.code, 3);
  EXPECT_THAT(ended.err, AllOf(HasSubstr("data.dev"), HasSubstr("2 pairs with checksum"),
                               HasSubstr("--overwrite")));
  EXPECT_EQ(read_text(dir / "run/best.safetensors"), best);
}

TEST_F(Resume, AcceptsAMovedValidationSet) {
  ASSERT_EQ(train({"--set", "training.max_epochs=1"}).code, 0);
  std::filesystem::rename(dir / "dev.src", dir / "moved.src");
  const Ended ended =
      train({"--resume", "--set", "data.dev.source=" + (dir / "moved.src").string()});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.err, HasSubstr("resuming with changed keys: data.dev.source"));
}

// The weights depend on the segmentation.
TEST_F(Resume, RefusesAnotherSeparatorOfSegments) {
  const auto with = [](const std::string& separator, std::vector<std::string> more) {
    for (const std::string& setting :
         {std::string("model.encoder={type: memory, cell: lstm, hidden: 256}"),
          std::string("model.embedding=12"), std::string("training.max_updates=1"),
          "data.segments.separator=" + separator}) {
      more.insert(more.end(), {"--set", setting});
    }
    return more;
  };
  const Ended first = train(with("a", {}));
  ASSERT_EQ(first.code, 0) << first.err;
  const Ended ended = train(with("b", {"--resume"}));
  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.err, HasSubstr("data.segments.separator: b, but the run in "));
}

// The run was started with the key, but the config no longer has it.
TEST_F(Resume, NamesTheConfigIfAKeyHasItsDefault) {
  ASSERT_EQ(train({"--set", "training.max_updates=1", "--set", "model.tie=decoder", "--set",
                   "model.embedding=7"})
                .code,
            0);
  const Ended ended = train({"--resume", "--set", "model.embedding=7"});
  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.err, HasSubstr("tiny.yaml: error: model.tie: none, but the run in "));
}

TEST_F(Resume, RefusesAMovingAverageThatTheRunDidNotHave) {
  ASSERT_EQ(train({"--set", "training.max_updates=1"}).code, 0);
  const Ended ended = train({"--resume", "--set", "training.ema=0.9"});
  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.err, HasSubstr("training.ema: 0.9, but the run in "));
}

TEST_F(Resume, AcceptsAndLogsWhatMayChange) {
  ASSERT_EQ(train({"--set", "training.max_epochs=1"}).code, 0);
  const Ended ended = train({"--resume", "--set", "model.dropout.output=0.25"});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.err, AllOf(HasSubstr("training.max_epochs 2 (was 1)"),
                               HasSubstr("model.dropout.output 0.25 (was 0"),
                               HasSubstr("resuming after update 4, epoch 1.00"),
                               HasSubstr("max_epochs 2 reached")));
  EXPECT_EQ(config::load<app::Experiment>(dir / "run/config.yaml").training.max_epochs, 2);
}

TEST_F(Resume, WarnsAboutAnotherText) {
  ASSERT_EQ(train({"--set", "training.max_updates=2"}).code, 0);
  dir.write("train.src", "a b\nb c\nc d\na d\nb d\n");
  dir.write("train.tgt", "w x\nx y\ny z\nw z\nx z\n");
  const Ended ended = train({"--resume"});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.err, HasSubstr("epoch 1 starts over"));
}

TEST_F(Resume, WithoutARunStartsOne) {
  EXPECT_EQ(train({"--resume"}).code, 0);
  EXPECT_TRUE(has("run/best.safetensors"));
}

TEST_F(Resume, FallsBackToTheStateBeforeADamagedOne) {
  ASSERT_EQ(train({}, "whole").code, 0);
  ASSERT_EQ(
      train({"--set", "training.max_updates=6", "--set", "training.save_every.updates=1"}).code, 0);
  write_in_run("last.state", "damaged");
  const Ended ended = train({"--resume"});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.err, AllOf(HasSubstr("last.state: "), HasSubstr("not a safetensors file"),
                               HasSubstr("resuming from the previous state, of update ")));
  EXPECT_EQ(read_text(dir / "run/last.safetensors"), read_text(dir / "whole/last.safetensors"));
}

TEST_F(Resume, NamesADamagedState) {
  ASSERT_EQ(train({"--set", "training.max_updates=1"}).code, 0);
  std::string bytes = read_text(dir / "run/last.state");
  bytes.back() = static_cast<char>(bytes.back() ^ 1);
  write_in_run("last.state", bytes);
  write_in_run("previous.state", bytes);
  const std::string config = read_text(dir / "run/config.yaml");
  const Ended ended = train({"--resume", "--set", "training.max_updates=2"});
  EXPECT_EQ(ended.code, 3);
  EXPECT_THAT(ended.err, AllOf(HasSubstr("last.state"), HasSubstr("checksum")));
  EXPECT_EQ(read_text(dir / "run/config.yaml"), config) << "the run is not changed";
}

TEST_F(Resume, UsesThePreviousStateIfNoOtherIsLeft) {
  ASSERT_EQ(train({"--set", "training.max_updates=1"}).code, 0);
  std::filesystem::remove(dir / "run/last.state");
  const Ended ended = train({"--resume"});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.err, HasSubstr("resuming after update 1"));
}

TEST_F(Resume, RemovesUnfinishedFiles) {
  ASSERT_EQ(train({"--set", "training.max_updates=1"}).code, 0);
  const std::vector<std::string> ours = {"last.state.attend-1.tmp", "last.state.attend-2.tmp",
                                         "update-00000001.safetensors.attend-1.tmp"};
  const std::vector<std::string> others = {"notes.attend-1.tmp", "last.state.tmp"};
  for (const std::string& name : ours) write_in_run(name, "half");
  for (const std::string& name : others) write_in_run(name, "half");
  ASSERT_EQ(train({"--resume"}).code, 0);
  for (const std::string& name : ours) EXPECT_FALSE(has("run/" + name)) << name;
  for (const std::string& name : others)
    EXPECT_TRUE(has("run/" + name)) << name
                                    << " is not a "
                                       "file of "
                                       "the run";
}

// A process that is killed while it removes an old run must not leave a state without a config.
TEST_F(Resume, OverwriteRemovesTheStateFirst) {
  ASSERT_EQ(train({"--set", "training.max_updates=1"}).code, 0);
  plan_faults("fail=1,only=remove config.yaml");
  EXPECT_EQ(train({"--overwrite"}).code, 3);
  plan_faults("");
  EXPECT_FALSE(has("run/last.state"));
  EXPECT_FALSE(has("run/previous.state"));
  EXPECT_EQ(train({"--resume"}).code, 0);
}

// Regression: the old run was deleted before sampling the first batch failed.
TEST_F(Resume, KeepsTheOldRunIfATokenizerCannotSample) {
  ASSERT_EQ(train({"--set", "training.max_updates=1"}).code, 0);
  std::filesystem::copy(dir / "run", dir / "given");
  const std::string at = (dir / "given").string();
  for (const char* more : {"--overwrite", "--dry-run"}) {
    const Ended ended =
        train({more, "--set", "tokenizer.sampling=0.1", "--set", "tokenizer.type=bpe", "--set",
               "tokenizer.model=[" + at + "/source.model, " + at + "/target.model]"});
    EXPECT_EQ(ended.code, 2) << more;
    EXPECT_THAT(ended.err, HasSubstr("cannot sample segmentations"));
  }
  EXPECT_TRUE(has("run/last.state"));
}

TEST_F(Resume, WarnsAndContinuesIfAFileCannotBeWritten) {
  plan_faults("fail=2-2,only=rename last.state");
  const Ended ended = train({"--set", "training.save_every.updates=3"});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.err, AllOf(HasSubstr("update 3: "), HasSubstr("last.state: cannot write"),
                               HasSubstr("No space left"), HasSubstr("on_save_error")));
}

TEST_F(Resume, EndsOnAWriteErrorIfConfigured) {
  plan_faults("fail=2-2,only=rename last.state");
  const Ended ended =
      train({"--set", "training.save_every.updates=3", "--set", "training.on_save_error=stop"});
  EXPECT_EQ(ended.code, 3);
  plan_faults("");
  EXPECT_THAT(train({"--resume"}).err, HasSubstr("resuming after update 1"));
}

TEST_F(Resume, ContinuesAfterAnUpdateWithoutMemory) {
  plan_faults("fail=3-3,only=memory");
  const Ended ended = train({});
  EXPECT_EQ(ended.code, 1);
  EXPECT_THAT(ended.err, AllOf(HasSubstr("error: update 3: out of memory. The batch was lines "),
                               HasSubstr("The state before it is saved")));
  plan_faults("fail=1-1,only=memory");
  const Ended resumed = train({"--resume", "--set", "training.on_out_of_memory=split"});
  EXPECT_EQ(resumed.code, 0) << resumed.err;
  EXPECT_THAT(resumed.err,
              AllOf(HasSubstr("resuming after update 2"), HasSubstr("computed in 2 parts")));
}

TEST_F(Resume, ContinuesWithoutItsPage) {
  plan_faults("fail=1-1,only=open report.html");
  const Ended ended = train({});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.err, HasSubstr("report.html: cannot write"));
  EXPECT_TRUE(has("run/report.html")) << "it is written again later";
}

TEST_F(Resume, FinishesWithoutItsPage) {
  plan_faults("fail=1,only=open report.html");
  const Ended ended = train({});
  plan_faults("");
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.err,
              AllOf(HasSubstr("report.html: cannot write"), HasSubstr("finished after")));
}

TEST_F(Resume, KeepsTheBestOfARunWithoutAValidationSet) {
  dir.write("dev.src", "a b\nc d\n");
  dir.write("dev.tgt", "w x\ny z\n");
  const std::string dev = "data.dev={source: " + (dir / "dev.src").string() +
                          ", target: " + (dir / "dev.tgt").string() + "}";
  ASSERT_EQ(train({"--set", dev, "--set", "training.max_updates=2"}).code, 0);
  const std::string best = read_text(dir / "run/best.safetensors");
  const Ended ended = train({"--resume", "--set", "data.dev=null"});
  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.err, AllOf(HasSubstr("data.dev"), HasSubstr("--overwrite")));
  EXPECT_EQ(read_text(dir / "run/best.safetensors"), best);
}

}  // namespace
}  // namespace attend::cli
