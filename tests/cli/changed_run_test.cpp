// Runs whose texts or files change before they are resumed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "tests/cli/train_fixture.h"

namespace attend::cli {
namespace {

using attend::test::read_text;
using test::Ended;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class ChangedRun : public test::TrainFixture {
 protected:
  /// Replaces a file by its lines in reverse order.
  void reverse_lines(const std::string& name) const {
    std::istringstream text(read_text(dir / name));
    std::string reversed;
    for (std::string line; std::getline(text, line);) reversed.insert(0, line + "\n");
    dir.write(name, reversed);
  }
};

// The number of batches is the same, but a position in the epoch refers to other pairs.
TEST_F(ChangedRun, WarnsAboutOtherPairsInAsManyBatches) {
  ASSERT_EQ(train({"--set", "training.max_updates=2"}).code, 0);
  reverse_lines("train.src");
  reverse_lines("train.tgt");
  const Ended ended = train({"--resume"});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.err, HasSubstr("the training text has changed; epoch 1 starts over"));
  const Ended again = train({"--resume"});
  EXPECT_THAT(again.err, Not(HasSubstr("has changed")));
}

// Changes only the target of one pair.
TEST_F(ChangedRun, WarnsAboutOneOtherWord) {
  ASSERT_EQ(train({"--set", "training.max_updates=2"}).code, 0);
  std::string target = read_text(dir / "train.tgt");
  *std::find(target.rbegin(), target.rend(), 'z') = 'x';
  dir.write("train.tgt", target);
  EXPECT_THAT(train({"--resume"}).err, HasSubstr("epoch 1 starts over"));
}

TEST_F(ChangedRun, DoesNotWarnAboutAMovedText) {
  ASSERT_EQ(train({"--set", "training.max_updates=2"}).code, 0);
  std::filesystem::rename(dir / "train.src", dir / "moved.src");
  const Ended ended =
      train({"--resume", "--set", "data.train.source=" + (dir / "moved.src").string()});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.err, Not(HasSubstr("has changed")));
}

// The ids of the weights' rows belong to the pieces of the run's own tokenizers.
TEST_F(ChangedRun, RefusesATokenizerOfAnotherRun) {
  ASSERT_EQ(train({"--set", "training.max_updates=2"}).code, 0);
  const std::string state = read_text(dir / "run/last.state");
  std::filesystem::copy_file(dir / "run/source.model", dir / "run/target.model",
                             std::filesystem::copy_options::overwrite_existing);
  const Ended ended = train({"--resume"});
  EXPECT_EQ(ended.code, 3);
  EXPECT_THAT(ended.err, AllOf(HasSubstr("the tokenizers differ"), HasSubstr("--overwrite")));
  EXPECT_EQ(read_text(dir / "run/last.state"), state);
}

// Symptom: resuming with other protected parts said that data.dev had changed.
TEST_F(ChangedRun, NamesOtherProtectedParts) {
  const std::vector<std::string> numbers = {"--set", "data.protect.kinds=numbers",
                                            "--set", "tokenizer.type=char",
                                            "--set", "tokenizer.vocabulary=60"};
  std::vector<std::string> arguments = numbers;
  arguments.insert(arguments.end(), {"--set", "training.max_updates=2"});
  ASSERT_EQ(train(arguments).code, 0);
  arguments = numbers;
  arguments.insert(arguments.end(), {"--set", "data.protect.kinds=urls", "--resume"});
  const Ended ended = train(arguments);
  EXPECT_EQ(ended.code, 2) << ended.err;
  EXPECT_THAT(ended.err, AllOf(HasSubstr("data.protect.kinds: urls, but the run in"),
                               Not(HasSubstr("data.dev"))));
}

TEST_F(ChangedRun, NamesBestWeightsAndHistoryThatAreLost) {
  ASSERT_EQ(train({"--set", "training.max_epochs=1"}).code, 0);
  std::filesystem::remove(dir / "run/best.safetensors");
  std::filesystem::remove(dir / "run/train.jsonl");
  const Ended ended = train({"--resume"});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.err,
              AllOf(HasSubstr("best.safetensors: "), HasSubstr("the best weights of the run are "),
                    HasSubstr("train.jsonl: there is no such file"), HasSubstr("at update 4")));
  EXPECT_TRUE(has("run/best.safetensors"));
}

// The state may be intact, so it must neither be set aside as damaged nor replaced by a new run.
TEST_F(ChangedRun, DoesNotBeginAnewIfItsStateCannotBeRead) {
  ASSERT_EQ(train({"--set", "training.max_epochs=1"}).code, 0);
  const std::string best = read_text(dir / "run/best.safetensors");
  std::filesystem::rename(dir / "run/last.state", dir / "away");
  std::filesystem::remove(dir / "run/previous.state");
  std::filesystem::create_symlink("last.state", dir / "run/last.state");  // ELOOP
  const Ended ended = train({"--resume"});
  EXPECT_EQ(ended.code, 3) << ended.err;
  EXPECT_THAT(ended.err, HasSubstr("last.state: cannot read the file: "));
  EXPECT_EQ(read_text(dir / "run/best.safetensors"), best);
}

}  // namespace
}  // namespace attend::cli
