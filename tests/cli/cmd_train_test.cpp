#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include <nlohmann/json.hpp>

#include "app/config/experiment.h"
#include "config/load.h"
#include "kernels/cpu/instructions.h"
#include "storage/weights_file.h"
#include "tests/cli/train_fixture.h"
#include "tests/support/tested_device.h"

namespace attend::cli {
namespace {

using attend::test::read_text;
using nlohmann::json;
using test::Ended;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class Train : public test::TrainFixture {};

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
                    HasSubstr("seed 3"), HasSubstr("device " + attend::test::tested_device().str()),
                    HasSubstr("13 of 13 pairs"), HasSubstr("parameters"),
                    HasSubstr("update=5 epoch=1.25 loss="), HasSubstr("validation update=4"),
                    HasSubstr("max_updates 5 reached")));
}

// Regression: 20 pairs were accepted without a warning.
TEST_F(Train, WarnsOfASmallCorpus) {
  EXPECT_THAT(train({"--set", "training.max_updates=1"}).err, HasSubstr("only 13 training pairs"));
}

TEST_F(Train, SuggestsBf16OnCpusWithMatrixUnits) {
  const bool has_matrix_units = kernels::instructions_in_use() == kernels::Instructions::amx;
  const auto hint = HasSubstr("training.precision=bf16");
  EXPECT_EQ(testing::Matches(hint)(train({"--set", "training.max_updates=1"}).err),
            has_matrix_units);
  EXPECT_THAT(train({"--set", "training.kernels=plain", "--overwrite"}).err, Not(hint));
}

TEST_F(Train, WritesAConfigThatNamesTheTokenizersPlainly) {
  ASSERT_EQ(train({}).code, 0);
  EXPECT_THAT(read_text(dir / "run/config.yaml"),
              AllOf(HasSubstr("source.model"), testing::Not(HasSubstr("run/source.model"))));
  const auto loaded = config::load<app::Experiment>(dir / "run/config.yaml");
  EXPECT_EQ(loaded.tokenizer.model[1], (dir / "run/target.model").string());
  EXPECT_EQ(loaded.data.train[0].source(), (dir / "train.src").string());
}

TEST_F(Train, SeedOnTheCommandLineWins) {
  ASSERT_EQ(train({"--seed", "8"}).code, 0);
  EXPECT_EQ(config::load<app::Experiment>(dir / "run/config.yaml").seed, 8);
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

TEST_F(Train, KeepsTheOldRunIfTheNewOneCannotStart) {
  write_in_run("best.safetensors", "old");
  dir.write("train.tgt", "w x y\n");
  const Ended ended = train({"--overwrite"});
  EXPECT_EQ(ended.code, 3);
  EXPECT_THAT(ended.err, AllOf(HasSubstr("train.src"), HasSubstr("train.tgt")));
  EXPECT_EQ(read_text(dir / "run/best.safetensors"), "old");
}

// Regression: the old model was deleted before the run found that it had no training pairs.
TEST_F(Train, KeepsTheOldRunIfTheWeightsLeaveNoPairs) {
  write_in_run("best.safetensors", "old");
  const Ended ended = train({"--overwrite", "--set", "data.train.weight=1e-6"});
  EXPECT_EQ(ended.code, 3);
  EXPECT_THAT(ended.err, HasSubstr("raise the weights in data.train"));
  EXPECT_EQ(read_text(dir / "run/best.safetensors"), "old");
}

// Regression: the missing pairs were reported as an internal error.
TEST_F(Train, DryRunReportsWeightsThatLeaveNoPairs) {
  const Ended ended = train({"--dry-run", "--set", "data.train.weight=1e-6"});
  EXPECT_EQ(ended.code, 3);
  EXPECT_THAT(ended.err, HasSubstr("raise the weights in data.train"));
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
  EXPECT_THAT(ended.err, AllOf(HasSubstr("13 of 13 pairs"), HasSubstr("parameters"),
                               HasSubstr("run files: " + (dir / "run").string() + " (about ")));
  EXPECT_FALSE(has("run"));
  EXPECT_FALSE(has("run.tokens"));
}

/// Links for the 13 pairs of the corpus.
std::string links_of_corpus() {
  std::string links;
  for (int i = 0; i < 3; ++i) links += "0-0 1-1 2-2\n0-0\n0-1 1-2 2-3 3-0\n\n";
  return links + "1-1\n";
}

TEST_F(Train, WritesTheTokenCacheNamedInTheConfig) {
  ASSERT_EQ(train({"--set", "data.cache=none"}).code, 0);
  EXPECT_FALSE(has("run.tokens"));
  const std::string elsewhere = "data.cache=" + (dir / "ids").string();
  ASSERT_EQ(train({"--overwrite", "--set", elsewhere}).code, 0);
  EXPECT_TRUE(has("ids"));
  EXPECT_FALSE(has("run.tokens"));
  EXPECT_THAT(train({"--overwrite", "--set", elsewhere}).err,
              HasSubstr("loaded from the token cache"));
}

// Reading 10^8 pairs to train tokenizers takes minutes.
TEST_F(Train, ReusesTheTokenizersOfTheCache) {
  constexpr const char* kTaken = "tokenizers: loaded from the token cache";
  const Ended first = train({});
  ASSERT_EQ(first.code, 0) << first.err;
  EXPECT_THAT(first.err, testing::Not(HasSubstr(kTaken)));
  const std::string weights = read_text(dir / "run/last.safetensors");
  const Ended second = train({"--overwrite"});
  EXPECT_THAT(second.err, HasSubstr(kTaken));
  EXPECT_EQ(read_text(dir / "run/last.safetensors"), weights);
  const Ended mapped = train({"--overwrite", "--set", "data.storage=mmap"});
  EXPECT_THAT(mapped.err, HasSubstr(kTaken));
  EXPECT_EQ(read_text(dir / "run/last.safetensors"), weights);
  EXPECT_THAT(train({"--overwrite", "--seed", "4"}).err, HasSubstr(kTaken)) << "for every seed";
  EXPECT_THAT(train({"--overwrite", "--set", "tokenizer.training_lines=5"}).err,
              testing::Not(HasSubstr(kTaken)));
}

TEST_F(Train, DoesNotOverwriteATextWithTheTokenCache) {
  const std::string text = read_text(dir / "train.src");
  const Ended ended = train({"--set", "data.cache=" + (dir / "train.src").string()});
  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.err, AllOf(HasSubstr("data.cache"), HasSubstr("refusing to overwrite")));
  EXPECT_EQ(read_text(dir / "train.src"), text);
}

// No option named that file, so it must not be overwritten.
TEST_F(Train, LeavesAFileWithTheNameOfTheTokenCacheAlone) {
  dir.write("run.tokens", "words of somebody\n");
  const Ended ended = train({});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.err, AllOf(HasSubstr("run.tokens"), HasSubstr("token cache not written"),
                               HasSubstr("data.cache")));
  EXPECT_EQ(read_text(dir / "run.tokens"), "words of somebody\n");
}

TEST_F(Train, ReusesTheTokenCacheOfTheSameText) {
  constexpr const char* kTaken = "training set: loaded from the token cache";
  const Ended first = train({});
  ASSERT_EQ(first.code, 0) << first.err;
  EXPECT_EQ(first.err.find(kTaken), std::string::npos) << first.err;
  const std::vector<std::string> expected = history();
  const Ended again = train({"--overwrite"});
  EXPECT_NE(again.err.find(kTaken), std::string::npos) << again.err;
  EXPECT_EQ(history(), expected);
  dir.write("train.src", attend::test::read_text(dir / "train.src") + "d\n");
  dir.write("train.tgt", attend::test::read_text(dir / "train.tgt") + "w\n");
  const Ended changed = train({"--overwrite"});
  EXPECT_EQ(changed.err.find(kTaken), std::string::npos) << changed.err;
  EXPECT_NE(changed.err.find("training set: 14 of 14 pairs"), std::string::npos) << changed.err;
}

TEST_F(Train, GuidesAttentionByALinkFile) {
  const auto links = dir.write("train.links", links_of_corpus()).string();
  ASSERT_EQ(train({"--set", "training.guided_alignment.links=" + links}).code, 0);
  for (const std::string& line : history()) {
    const json object = json::parse(line);
    EXPECT_EQ(object.contains("alignment_loss"), object["type"] == "train") << line;
  }
  EXPECT_EQ(config::load<app::Experiment>(dir / "run/config.yaml").training.guided_alignment.links,
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
  const auto resumed = storage::load_tensors(dir / "run/last.safetensors").tensors;
  for (const auto& [name, tensor] : storage::load_tensors(dir / "whole/last.safetensors").tensors) {
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

TEST_F(Train, NamesBothCountsIfLinksAndTextDiffer) {
  const auto links = dir.write("train.links", "0-0\n0-1\n").string();
  const Ended ended = train({"--set", "training.guided_alignment.links=" + links});
  EXPECT_EQ(ended.code, 3);
  EXPECT_THAT(ended.err, AllOf(HasSubstr("train.links has 2 lines"), HasSubstr("has 13")));
}

TEST_F(Train, NamesAMissingLinkFileAtOnce) {
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

TEST_F(Train, NeedsALinkFileForEveryText) {
  const auto links = dir.write("train.links", links_of_corpus()).string();
  const Ended ended =
      train({"--set", "training.guided_alignment.links=[" + links + ", " + links + "]"});
  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.err,
              AllOf(HasSubstr("2 files of links"), HasSubstr("1 pair of training text")));
}

TEST_F(Train, StartsFromTheWeightsAndVocabularyOfAnotherModel) {
  ASSERT_EQ(train({}, "first").code, 0);
  const std::string from = "training.init_from=" + (dir / "first").string();
  const Ended ended =
      train({"--set", from, "--set", "training.learning_rate=1e-30", "--set", "seed=9"});
  ASSERT_EQ(ended.code, 0) << ended.err;
  EXPECT_EQ(read_text(dir / "run/source.model"), read_text(dir / "first/source.model"));
  const auto start = storage::load_tensors(dir / "first/best.safetensors").tensors;
  for (const auto& [name, tensor] : storage::load_tensors(dir / "run/last.safetensors").tensors) {
    EXPECT_TRUE(torch::equal(start.at(name), tensor)) << name;
  }
}

TEST_F(Train, NamesInitialWeightsThatDoNotFit) {
  ASSERT_EQ(train({}, "first").code, 0);
  const std::string from = "training.init_from=" + (dir / "first").string();
  const Ended ended = train({"--set", from, "--set", "model.embedding=8"});
  EXPECT_EQ(ended.code, 3);
  EXPECT_THAT(ended.err, AllOf(HasSubstr("first/best.safetensors"), HasSubstr("do not fit")));
}

// Regression: the error came only after hours of preparation.
TEST_F(Train, ReportsMissingInitialWeightsBeforeReadingTheText) {
  ASSERT_EQ(train({}, "first").code, 0);
  std::filesystem::remove(dir / "first/best.safetensors");
  const Ended ended = train({"--set", "training.init_from=" + (dir / "first").string()});
  EXPECT_EQ(ended.code, 3);
  EXPECT_THAT(ended.err, AllOf(HasSubstr("first/best.safetensors: no such weights"),
                               Not(HasSubstr("training set"))));
}

TEST_F(Train, RefusesOneGpuForSeveralProcesses) {
  const Ended ended = run_program({"train", (dir / "tiny.yaml").string(), "--output",
                                   (dir / "run").string(), "--ranks", "2", "--device", "cuda:1"});
  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.err, AllOf(HasSubstr("cannot share --device cuda:1"),
                               HasSubstr("--device cuda gives each its own")));
}

TEST_F(Train, TrainsWithoutAValidationSet) {
  for (const char* none : {"data.dev={source: null, target: null}", "data.dev=null"}) {
    const Ended ended = train({"--overwrite", "--set", none});
    EXPECT_EQ(ended.code, 0) << ended.err;
    EXPECT_THAT(ended.err, HasSubstr("without validation"));
    EXPECT_TRUE(has("run/best.safetensors"));
  }
}

}  // namespace
}  // namespace attend::cli
