#include "app/config/missing_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "tests/support/temp_dir.h"

namespace attend::app {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::ThrowsMessage;

class MissingFiles : public testing::Test {
 protected:
  void check(const std::string& config, const std::vector<std::string>& overrides = {}) const {
    const auto file = dir_.write("c.yaml", config);
    check_files_are_there(config::load<Experiment>(file, overrides, config::Purpose::train));
  }

  attend::test::TempDir dir_;
  const std::string there_ = dir_.write("there", "a\n").filename().string();
};

TEST_F(MissingFiles, AreAllNamedAtThePlaceOfTheirKey) {
  EXPECT_THAT(
      [&] {
        check(
            "data:\n  train: {source: there, target: gone.de}\n"
            "  dev: {source: gone.en, target: there}\n");
      },
      ThrowsMessage<DataError>(
          AllOf(HasSubstr("c.yaml:2:26: error: data.train.target: no such file: " +
                          (dir_ / "gone.de").string()),
                HasSubstr("c.yaml:3:9: error: data.dev.source: no such file: "),
                HasSubstr("relative to its folder"), Not(HasSubstr("data.train.source")))));
}

TEST_F(MissingFiles, AreThoseOfEveryTextAndOfLinks) {
  EXPECT_THAT(
      [&] {
        check(
            "data: {train: [{source: there, target: there}, {source: there, target: gone}]}\n"
            "training: {guided_alignment: {links: [there, none]}}\n");
      },
      ThrowsMessage<DataError>(AllOf(HasSubstr("data.train[1].target: no such file"),
                                     HasSubstr("training.guided_alignment.links: no such file"))));
}

TEST_F(MissingFiles, OfTheCommandLineAreLookedForWhereItIsTyped) {
  EXPECT_THAT(
      [&] { check("data: {train: {source: there, target: there}}\n", {"data.train.source=gone"}); },
      ThrowsMessage<DataError>(AllOf(HasSubstr("--set data.train.source=gone: error: "),
                                     HasSubstr("relative to the working directory"))));
  EXPECT_NO_THROW(check("data: {train: {source: there, target: there}}\n"));
}

}  // namespace
}  // namespace attend::app
