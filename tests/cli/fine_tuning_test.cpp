// Runs that fine-tune a model (train --from).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/config/experiment.h"
#include "config/load.h"
#include "tests/cli/train_fixture.h"

namespace attend::cli {
namespace {

using test::Ended;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kDataAlone = R"(
data:
  train: {source: train.src, target: train.tgt}
  dev: {source: dev.src, target: dev.tgt}
)";

class FineTuning : public test::TrainFixture {
 protected:
  FineTuning() { dir.write("new.yaml", kDataAlone); }

  void train_first(const std::vector<std::string>& overrides) const {
    std::vector<std::string> arguments;
    for (const std::string& override : overrides)
      arguments.insert(arguments.end(), {"--set", override});
    const Ended ended = train(arguments, "first");
    ASSERT_EQ(ended.code, 0) << ended.err;
  }

  Ended run_with(const std::vector<std::string>& arguments) const {
    std::vector<std::string> all = {"train", "--device", "cpu", "--threads", "1"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    return run_program(all);
  }

  /// Fine-tunes the model "first" into "run", with the config new.yaml and these overrides.
  Ended tune(const std::vector<std::string>& overrides,
             const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments = {"--from", file("first"), file("new.yaml"), "--output",
                                          file("run")};
    for (const std::string& override : overrides)
      arguments.insert(arguments.end(), {"--set", override});
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_with(arguments);
  }

  std::string file(const std::string& name) const { return (dir / name).string(); }
  app::Experiment saved(const std::string& run) const {
    return config::load_trained<app::Experiment>(dir / run / "config.yaml");
  }
};

TEST_F(FineTuning, NeedsOnlyTheNewDataAndFitsAShortRun) {
  train_first({"training.schedule=inverse_sqrt", "training.warmup_updates=3",
               "training.learning_rate=0.02", "training.decay.minimum=0.001", "training.ema=0.99"});
  const Ended ended = tune({});
  ASSERT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.err, AllOf(HasSubstr("fine-tuning " + file("first") +
                                         ", for a short run with training.learning_rate: 0.002, "
                                         "training.schedule: constant, training.warmup_updates: 0"),
                               HasSubstr("initial weights: " + file("first/best.safetensors")),
                               HasSubstr("validation update=0")));
  const app::Experiment run = saved("run");
  EXPECT_DOUBLE_EQ(run.training.learning_rate, 0.002) << "a tenth of the trained rate";
  EXPECT_EQ(run.training.schedule, train::ScheduleKind::constant);
  EXPECT_EQ(run.training.warmup_updates, 0);
  EXPECT_EQ(run.training.decay, train::DecayOptions());
  EXPECT_EQ(run.training.ema, 0.99);
  EXPECT_EQ(run.training.max_epochs, 2) << "as in the model's config";
  EXPECT_EQ(run.training.init_from, file("first"));
  EXPECT_EQ(run.tokenizer.vocabulary, 16);
  EXPECT_EQ(run.seed, 3);
}

TEST_F(FineTuning, LeavesTheKeysOfTheConfigAlone) {
  train_first({});
  const Ended ended = tune({"training.learning_rate=0.5", "training.schedule=plateau",
                            "training.warmup_updates=7", "training.decay.patience=4"});
  ASSERT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.err, Not(HasSubstr("for a short run")));
  EXPECT_EQ(saved("run").training.learning_rate, 0.5);
  EXPECT_EQ(saved("run").training.schedule, train::ScheduleKind::plateau);
  EXPECT_EQ(saved("run").training.warmup_updates, 7);
  EXPECT_EQ(saved("run").training.decay.patience, 4);
}

TEST_F(FineTuning, OfAFineTunedModelKeepsItsRate) {
  train_first({"training.learning_rate=0.01"});
  ASSERT_EQ(tune({}).code, 0);
  const Ended again =
      run_with({"--from", file("run"), file("new.yaml"), "--output", file("second")});
  ASSERT_EQ(again.code, 0) << again.err;
  EXPECT_DOUBLE_EQ(saved("second").training.learning_rate, 0.001);
}

TEST_F(FineTuning, NamesAllKeysThatDoNotFitTheModel) {
  train_first({});
  const Ended ended =
      tune({"model.encoder.hidden=9", "model.decoder.cell=lstm", "tokenizer.vocabulary=300",
            "data.reverse_target=true", "model.dropout.output=0.1", "tokenizer.joint=false"});
  EXPECT_EQ(ended.code, 2);
  const auto misfit = [&](const std::string& key, const std::string& now, const std::string& then) {
    return HasSubstr(key + ": " + now + ", but the model in " + file("first") + " has " + then);
  };
  EXPECT_THAT(ended.err, AllOf(misfit("model.encoder.hidden", "9", "5"),
                               misfit("model.decoder.cell", "lstm", "gru"),
                               misfit("tokenizer.vocabulary", "300", "16"),
                               misfit("data.reverse_target", "true", "false")));
  EXPECT_THAT(ended.err,
              AllOf(HasSubstr("--set model.encoder.hidden=9"), Not(HasSubstr("model.dropout")),
                    Not(HasSubstr("tokenizer.joint")), HasSubstr("leave the key out")));
  EXPECT_FALSE(has("run"));
}

TEST_F(FineTuning, NamesAnEncoderOfAnotherType) {
  train_first({});
  const Ended ended = tune({"model.encoder.type=transformer", "model.encoder.heads=2"});
  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.err, HasSubstr("model.encoder.type: transformer, but the model in " +
                                   file("first") + " has recurrent"));
}

TEST_F(FineTuning, TakesTheConfigThatTheModelWasTrainedWith) {
  train_first({});
  const Ended ended =
      run_with({"--from", file("first"), file("tiny.yaml"), "--output", file("run")});
  EXPECT_EQ(ended.code, 0) << ended.err;
}

TEST_F(FineTuning, NeedsNoConfigFile) {
  train_first({});
  const std::vector<std::string> data = {"--set", "data.train.source=" + file("train.src"), "--set",
                                         "data.train.target=" + file("train.tgt")};
  std::vector<std::string> arguments = {"--from", file("first")};
  arguments.insert(arguments.end(), data.begin(), data.end());
  const Ended nowhere = run_with(arguments);
  EXPECT_EQ(nowhere.code, 2);
  EXPECT_THAT(nowhere.err, HasSubstr("--from without CONFIG needs --output DIR"));
  arguments.insert(arguments.end(), {"--output", file("run")});
  const Ended ended = run_with(arguments);
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_TRUE(saved("run").data.dev.empty()) << "the texts of the model are not taken";
}

// Snapshots, averages and patience need a validation set, which the model had.
TEST_F(FineTuning, NeedsNoValidationSet) {
  train_first({"training.keep.best=2", "training.average.best=2"});
  dir.write("new.yaml", "data: {train: {source: train.src, target: train.tgt}}\n");
  const Ended ended = tune({});
  EXPECT_EQ(ended.code, 0) << ended.err;
}

// align reads the shift, so a model that was guided keeps it.
TEST_F(FineTuning, OfAGuidedModelNeedsNoLinks) {
  std::string links;
  for (int i = 0; i < 13; ++i) links += "0-0 1-1\n";
  dir.write("links", links);
  train_first(
      {"training.guided_alignment.links=" + file("links"), "training.guided_alignment.shift=1"});
  const Ended ended = tune({});
  ASSERT_EQ(ended.code, 0) << ended.err;
  EXPECT_TRUE(saved("run").training.guided_alignment.links.empty());
  EXPECT_EQ(saved("run").training.guided_alignment.shift, 1);
}

TEST_F(FineTuning, IsResumedWithTheConfigInItsFolder) {
  train_first({});
  ASSERT_EQ(tune({"training.max_updates=2"}).code, 0);
  const Ended ended = tune({}, {"--resume"});
  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.err, AllOf(HasSubstr("--from starts a new run"),
                               HasSubstr("attend train " + file("run/config.yaml") + " --output " +
                                         file("run") + " --resume")));
  const Ended resumed = run_with({file("run/config.yaml"), "--output", file("run"), "--resume",
                                  "--set", "training.max_updates=4"});
  EXPECT_EQ(resumed.code, 0) << resumed.err;
  EXPECT_THAT(resumed.err, HasSubstr("resuming after update 2"));
}

TEST_F(FineTuning, NeverReplacesItsStart) {
  train_first({});
  const Ended ended = run_with(
      {"--from", file("first"), file("new.yaml"), "--output", file("first"), "--overwrite"});
  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.err, HasSubstr("starts from the model in this folder"));
  EXPECT_TRUE(has("first/best.safetensors"));
}

TEST_F(FineTuning, TakesOneStart) {
  train_first({});
  const Ended ended = tune({"training.init_from=" + file("other")});
  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.err, HasSubstr("--from names the model to start from already"));
}

TEST_F(FineTuning, OfNoModelFolderIsRefused) {
  const Ended ended = tune({});
  EXPECT_EQ(ended.code, 3);
  EXPECT_THAT(ended.err, HasSubstr("first: no such model folder"));
}

TEST_F(FineTuning, WithoutConfigOrStartSaysWhatIsNeeded) {
  EXPECT_THAT(run_program({"train"}).err,
              HasSubstr("CONFIG is required; give a config file, or --from DIR"));
}

}  // namespace
}  // namespace attend::cli
