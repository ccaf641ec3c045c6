// Text that the model was not trained to read.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/cli/program.h"
#include "tests/cli/tiny_model.h"
#include "tests/cli/train_fixture.h"
#include "tests/support/temp_dir.h"

namespace attend::cli {
namespace {

using attend::test::read_text;
using attend::test::TempDir;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kRead = "a b c d a b c d a b c d a b c d\n";
constexpr const char* kWritten = "w x y z w x y z w x y z w x y z\n";
constexpr const char* kRussian = "двое мужчин бегут через парк\n";

/// The model reads the words a to d and writes w to z.
class LikenessTest : public testing::Test {
 protected:
  static void SetUpTestSuite() { model_.make(); }
  static void TearDownTestSuite() { model_.clear(); }

  [[nodiscard]] std::string warnings_of(const std::string& command, const std::string& text) const {
    const auto source = dir_.write("source", text), target = dir_.write("target", text);
    std::vector<std::string> arguments = {command, "--model", model_.path(), "--output",
                                          (dir_ / "out").string()};
    if (command == "translate") {
      arguments.insert(arguments.end(), {"--input", source.string()});
    } else {
      arguments.insert(arguments.end(), {"--source", source.string(), "--target", target.string()});
    }
    const test::Ended ended = test::run_program(arguments);
    EXPECT_EQ(ended.code, 0) << ended.err;
    return ended.err;
  }

  static test::SuiteModel model_;
  TempDir dir_;
};

test::SuiteModel LikenessTest::model_;

TEST_F(LikenessTest, WarnsOfALanguageThatTrainingDidNotHave) {
  for (const char* command : {"translate", "score", "align"}) {
    const std::string warnings = warnings_of(command, std::string(kRussian) + kRussian);
    EXPECT_THAT(warnings, HasSubstr("line 1 (Cyrillic) is unlike the text")) << command;
    EXPECT_THAT(warnings, Not(HasSubstr("line 2"))) << command << " warns once";
    EXPECT_THAT(warnings_of(command, kRead), Not(HasSubstr("unlike"))) << command;
  }
}

TEST_F(LikenessTest, WarnsOfExchangedSides) {
  for (const char* command : {"translate", "score", "align"})
    EXPECT_THAT(warnings_of(command, kWritten), HasSubstr("are source and target exchanged?"));
}

// One quotation in a long text is no reason to warn.
TEST_F(LikenessTest, IsSilentAsLongAsMostLinesAreAlike) {
  const std::string one = std::string(kRead) + kRussian;
  EXPECT_THAT(warnings_of("translate", one), Not(HasSubstr("unlike")));
  EXPECT_THAT(warnings_of("translate", one + kRussian),
              HasSubstr("line 3 (Cyrillic) is unlike the text"));
}

TEST_F(LikenessTest, IsSilentForAModelOfAnEarlierVersion) {
  TempDir copy;
  std::filesystem::copy(model_.path(), copy / "model");
  std::filesystem::remove(copy / "model" / "pieces.json");
  const auto input = copy.write("in", kRussian);
  const test::Ended ended =
      test::run_program({"translate", "--model", (copy / "model").string(), "--input",
                         input.string(), "--output", (copy / "out").string()});
  EXPECT_EQ(ended.code, 0);
  EXPECT_THAT(ended.err, Not(HasSubstr("unlike")));
}

TEST_F(LikenessTest, IsKeptByAnAverage) {
  const test::Ended ended = test::run_program(
      {"average", model_.path(), model_.path(), "--output", (dir_ / "mean").string()});
  ASSERT_EQ(ended.code, 0) << ended.err;
  EXPECT_EQ(read_text(dir_ / "mean" / "pieces.json"), read_text(model_.path() + "/pieces.json"));
}

class LikenessInTraining : public test::TrainFixture {};

TEST_F(LikenessInTraining, WarnsIfTheSidesOfTheValidationSetAreExchanged) {
  dir.write("dev.src", kRead);
  dir.write("dev.tgt", kWritten);
  EXPECT_THAT(train({"--dry-run"}).err, Not(HasSubstr("exchanged")));
  dir.write("dev.src", kWritten);
  dir.write("dev.tgt", kRead);
  for (const char* option : {"--dry-run", "--overwrite"})
    EXPECT_THAT(train({option}).err, HasSubstr("exchanged in data.dev or data.train?")) << option;
}

// Symptom: a Japanese model was validated on Thai references without a warning.
TEST_F(LikenessInTraining, WarnsIfASideOfTheValidationSetIsInAnotherLanguage) {
  std::string read, written, russian;
  for (int i = 0; i < 7; ++i) {
    read += kRead;
    written += kWritten;
    russian += kRussian;
  }
  const auto warnings = [&](const std::string& source, const std::string& target) {
    dir.write("dev.src", source);
    dir.write("dev.tgt", target);
    return train({"--dry-run"}).err;
  };
  EXPECT_THAT(warnings(read, written), Not(HasSubstr("is unlike the")));
  EXPECT_THAT(warnings(read, russian),
              AllOf(HasSubstr("the target of the validation set is unlike the target of the "
                              "training text"),
                    Not(HasSubstr("the source of the validation set is unlike"))));
  EXPECT_THAT(warnings(russian, written),
              HasSubstr("the source of the validation set is unlike the source"));
  EXPECT_THAT(warnings(written, read), Not(HasSubstr("is unlike the"))) << "exchanged";
}

// Runs of earlier versions have no counts yet.
TEST_F(LikenessInTraining, CountsPiecesWhenARunIsResumed) {
  ASSERT_EQ(train({}).code, 0);
  const std::string counts = read_text(dir / "run" / "pieces.json");
  std::filesystem::remove(dir / "run" / "pieces.json");
  ASSERT_EQ(train({"--resume", "--set", "training.max_epochs=3"}).code, 0);
  EXPECT_EQ(read_text(dir / "run" / "pieces.json"), counts);
}

}  // namespace
}  // namespace attend::cli
