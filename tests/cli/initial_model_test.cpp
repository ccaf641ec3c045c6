// Runs that start from another model (training.init_from).
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include "app/config/experiment.h"
#include "config/load.h"
#include "storage/weights_file.h"
#include "tests/cli/train_fixture.h"

namespace attend::cli {
namespace {

using attend::test::read_text;
using test::Ended;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class InitialModel : public test::TrainFixture {
 protected:
  InitialModel() { EXPECT_EQ(train({}, "first").code, 0); }

  /// Trains from the model "first" with these overrides.
  Ended tune(const std::vector<std::string>& overrides,
             const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments = {"--set", "training.init_from=" + file("first")};
    for (const std::string& override : overrides)
      arguments.insert(arguments.end(), {"--set", override});
    arguments.insert(arguments.end(), more.begin(), more.end());
    return train(arguments);
  }
  std::string file(const std::string& name) const { return (dir / name).string(); }
  text::TokenizerOptions saved_tokenizer(const std::string& run) const {
    return config::load_trained<app::Experiment>(dir / run / "config.yaml").tokenizer;
  }
};

// Regression: each row of the embeddings stood for another piece; BLEU was 12.6 instead of 98.1.
TEST_F(InitialModel, IsRefusedWithAnotherTokenizerOfTheSameSize) {
  const std::string swapped =
      "tokenizer.model=[" + file("first/target.model") + ", " + file("first/source.model") + "]";
  const Ended ended = tune({swapped});
  EXPECT_EQ(ended.code, 3);
  EXPECT_THAT(ended.err,
              AllOf(HasSubstr("first: its vocabulary differs from that of tokenizer.model (" +
                              file("first/target.model") + ")"),
                    HasSubstr("leave tokenizer.model out")));
  EXPECT_FALSE(has("run"));
}

TEST_F(InitialModel, TakesATokenizerOfTheSamePieces) {
  dir.write("copy.source", read_text(dir / "first/source.model"));
  dir.write("copy.target", read_text(dir / "first/target.model"));
  const Ended ended =
      tune({"tokenizer.model=[" + file("copy.source") + ", " + file("copy.target") + "]"});
  EXPECT_EQ(ended.code, 0) << ended.err;
}

TEST_F(InitialModel, SavesTheKeysOfItsTokenizerAndWarnsOfOthers) {
  const Ended ended = tune({"tokenizer.vocabulary=300", "tokenizer.type=word"});
  ASSERT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(
      ended.err,
      AllOf(HasSubstr("--set tokenizer.vocabulary=300: tokenizer.vocabulary: 300 has no effect"),
            HasSubstr("which has 16 (training.init_from)"),
            Not(HasSubstr("tokenizer.type: word has no effect"))));
  EXPECT_EQ(saved_tokenizer("run").vocabulary, 16);
}

// Regression: without `tokenizer` keys in the config, their defaults were saved, which did not
// describe the run's tokenizer.
TEST_F(InitialModel, SavesTheKeysOfItsTokenizerWhereTheConfigSetsNone) {
  std::string config = test::kConfig;
  config.replace(config.find("tokenizer:"), config.find("model:") - config.find("tokenizer:"), "");
  dir.write("tiny.yaml", config);
  const Ended ended = tune({});
  ASSERT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.err, Not(HasSubstr("has no effect")));
  EXPECT_EQ(saved_tokenizer("run").vocabulary, 16);
  EXPECT_EQ(saved_tokenizer("run").type, text::TokenizerType::word);
  EXPECT_FALSE(saved_tokenizer("run").joint);
}

TEST_F(InitialModel, CanBeResumedWithTheConfigOfItsStart) {
  ASSERT_EQ(tune({"tokenizer.vocabulary=300", "training.max_updates=1"}).code, 0);
  const Ended ended = tune({"tokenizer.vocabulary=300"}, {"--resume"});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_EQ(saved_tokenizer("run").vocabulary, 16);
}

TEST_F(InitialModel, WarnsOfTextInAnotherCase) {
  EXPECT_THAT(tune({"data.lowercase=true"}).err,
              HasSubstr("data.lowercase: true, but the model to start from"));
}

// Regression: if training made the model worse, the weights of its first validation were kept as
// the best.
TEST_F(InitialModel, RemainsTheBestWhereTrainingMakesItWorse) {
  const Ended ended =
      tune({"training.learning_rate=9", "training.clip_norm=0", "training.validation.metric=loss"});
  ASSERT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.err, AllOf(HasSubstr("validation update=0"),
                               HasSubstr("no validation was better than the model that training "
                                         "started from")));
  const auto start = storage::load_tensors(dir / "first/best.safetensors").tensors;
  for (const auto& [name, tensor] : storage::load_tensors(dir / "run/best.safetensors").tensors)
    EXPECT_TRUE(torch::equal(start.at(name), tensor)) << name;
}

}  // namespace
}  // namespace attend::cli
