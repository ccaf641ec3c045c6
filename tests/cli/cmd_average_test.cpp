#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include "core/fault_point.h"
#include "storage/weights_file.h"
#include "tests/cli/program.h"
#include "tests/cli/tiny_model.h"
#include "tests/support/temp_dir.h"
#include "train/saving/snapshots.h"

namespace attend::cli {
namespace {

using attend::test::read_text;
using attend::test::TempDir;
using test::Ended;
using test::run_program;
using test::train_tiny_model;
using testing::HasSubstr;
using testing::Not;

std::map<std::string, torch::Tensor> best(const std::filesystem::path& model) {
  return storage::load_tensors(model / "best.safetensors").tensors;
}

TEST(Average, IsACompleteModelFolderWithTheMeanOfTheModels) {
  const TempDir dir;
  const auto a = train_tiny_model(dir, "a", {"seed=1", "tokenizer.vocabulary=10"});
  const auto b = train_tiny_model(dir, "b", {"seed=2", "tokenizer.vocabulary=10"});
  const auto output = dir / "mean";
  const Ended ended = run_program({"average", "--output", output.string(), a.string(), b.string()});
  ASSERT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.err, HasSubstr("--model A --model B")) << "two independent runs";
  const auto first = best(a);
  const auto second = best(b);
  for (const auto& [name, tensor] : best(output)) {
    EXPECT_TRUE(torch::allclose(tensor, (first.at(name) + second.at(name)) / 2)) << name;
  }
  EXPECT_EQ(read_text(output / "target.model"), read_text(a / "target.model"));
  const auto line = dir.write("line", "a b\n").string();
  EXPECT_EQ(run_program({"translate", "--model", output.string(), "--input", line}).code, 0);
}

TEST(Average, TakesTheBestOrTheLastSnapshots) {
  const TempDir dir;
  dir.write("dev.src", "a b\nc d\n");
  dir.write("dev.tgt", "w x\ny z\n");
  const auto model =
      train_tiny_model(dir, "run",
                       {"data.dev={source: " + (dir / "dev.src").string() +
                            ", target: " + (dir / "dev.tgt").string() + "}",
                        "training.max_updates=3", "training.validate_every={updates: 1, epochs: 0}",
                        "training.keep.last=3"});
  const auto output = dir / "mean";
  const Ended ended =
      run_program({"average", "--output", output.string(), "--last", "2", model.string()});
  ASSERT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.err, Not(HasSubstr("--model A")));
  const std::vector<std::filesystem::path> files = {train::snapshot_path(model, 2),
                                                    train::snapshot_path(model, 3)};
  const auto expected = train::average_weights(files);
  for (const auto& [name, tensor] : best(output))
    EXPECT_TRUE(torch::equal(tensor, expected.at(name)));
  const Ended too_many =
      run_program({"average", "--output", (dir / "other").string(), "--best", "4", model.string()});
  EXPECT_EQ(too_many.code, 3);
  EXPECT_THAT(too_many.err, HasSubstr("cannot average 4 snapshots: the folder has 3"));
}

/// Overrides that give a model the validation set "a b", "c d".
std::vector<std::string> with_dev_set(const TempDir& dir, std::vector<std::string> more) {
  const auto source = dir.write("dev.src", "a b\nc d\n").string();
  const auto target = dir.write("dev.tgt", "w x\ny z\n").string();
  more.push_back("data.dev={source: " + source + ", target: " + target + "}");
  more.emplace_back("training.validation.metric=loss");
  return more;
}

// The mean of a trained model and its initial weights is worse than the trained model.
TEST(Average, SaysOnRequestThatItLostOnTheValidationSet) {
  const TempDir dir;
  const std::string quick = "training.learning_rate=0.03";
  const auto trained =
      train_tiny_model(dir, "trained", with_dev_set(dir, {quick, "training.max_updates=60"}));
  const auto begun = train_tiny_model(dir, "begun", with_dev_set(dir, {quick}));
  const Ended ended =
      run_program({"average", "--output", (dir / "mean").string(), begun.string(), trained.string(),
                   begun.string(), "--validate", "--device", "cpu"});
  ASSERT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.err, HasSubstr("the average lost on the validation set; use " +
                                   (trained / "best.safetensors").string() + " instead of"));
  EXPECT_THAT(ended.err, testing::ContainsRegex("validation set: negated loss -[0-9.]+ for the "
                                                "average, -[0-9.]+ for the best of its models"));
}

TEST(Average, OfAModelWithItselfDoesNotLose) {
  const TempDir dir;
  const auto a = train_tiny_model(dir, "a", with_dev_set(dir, {}));
  const Ended ended = run_program({"average", "--output", (dir / "mean").string(), a.string(),
                                   a.string(), "--validate", "--device", "cpu"});
  ASSERT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.err, testing::AllOf(HasSubstr("validation set: negated loss"),
                                        Not(HasSubstr("the average lost"))));
}

TEST(Average, IsNotWrittenIfItCannotBeValidated) {
  const TempDir dir;
  const auto a = train_tiny_model(dir, "a", {});
  const Ended ended = run_program({"average", "--output", (dir / "mean").string(), a.string(),
                                   a.string(), "--validate", "--device", "cpu"});
  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.err, HasSubstr("--validate needs a validation set"));
  EXPECT_FALSE(std::filesystem::exists(dir / "mean"));
}

TEST(Average, RefusesModelsOfDifferentVocabularies) {
  const TempDir dir;
  const auto a = train_tiny_model(dir, "a", {});
  const auto b = train_tiny_model(dir, "b", {"tokenizer.type=char"});
  const Ended ended =
      run_program({"average", "--output", (dir / "mean").string(), a.string(), b.string()});
  EXPECT_EQ(ended.code, 3);
  EXPECT_THAT(ended.err, HasSubstr("vocabulary"));
  EXPECT_FALSE(std::filesystem::exists(dir / "mean"));
}

// The weights have equal shapes, but the models use them differently.
TEST(Average, RefusesModelsThatComputeDifferentlyWithEqualShapes) {
  const TempDir dir;
  const auto a = train_tiny_model(dir, "a", {"model.decoder.bridge=last"});
  const auto b = train_tiny_model(dir, "b", {"model.decoder.bridge=mean"});
  const auto c = train_tiny_model(dir, "c", {"model.dropout.output=0.1"});
  const auto average = [&](const std::filesystem::path& other) {
    return run_program(
        {"average", "--output", (dir / "mean").string(), a.string(), other.string()});
  };
  const Ended ended = average(b);
  EXPECT_EQ(ended.code, 3);
  EXPECT_THAT(ended.err, HasSubstr(b.string()));
  EXPECT_THAT(ended.err, HasSubstr("model.decoder.bridge is mean"));
  EXPECT_FALSE(std::filesystem::exists(dir / "mean"));
  EXPECT_EQ(average(c).code, 0);  // dropout affects only training
}

TEST(Average, LeavesNoFolderIfItCannotWriteTheWeights) {
  const TempDir dir;
  const auto a = train_tiny_model(dir, "a", {"seed=1", "tokenizer.vocabulary=10"});
  const std::vector<std::string> command = {"average", "--output", (dir / "mean").string(),
                                            a.string(), a.string()};
  plan_faults("fail=1,only=best.safetensors");
  EXPECT_EQ(run_program(command).code, 3);
  plan_faults("");
  EXPECT_FALSE(std::filesystem::exists(dir / "mean"));
  EXPECT_EQ(run_program(command).code, 0);
}

TEST(Average, NeedsTwoModels) {
  const Ended ended = run_program({"average", "--output", "mean", "somewhere"});
  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.err, HasSubstr("at least two models"));
}

TEST(Average, DoesNotReplaceAFolder) {
  const TempDir dir;
  const Ended ended = run_program({"average", "--output", dir.path().string(), "a", "b"});
  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.err, HasSubstr("give a new folder"));
}

TEST(Average, NamesAFolderThatIsNotAModel) {
  const TempDir dir;
  const Ended ended =
      run_program({"average", "--output", (dir / "mean").string(), (dir / "a").string(), "b"});
  EXPECT_EQ(ended.code, 3);
  EXPECT_THAT(ended.err, HasSubstr((dir / "a").string() + ": no such model folder"));
}

}  // namespace
}  // namespace attend::cli
