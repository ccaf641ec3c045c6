#include "core/log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "core/file.h"
#include "tests/support/temp_dir.h"

namespace attend {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::MatchesRegex;

class LogTest : public testing::Test {
 protected:
  void SetUp() override { testing::internal::CaptureStderr(); }
  void TearDown() override { log::set_up(log::Level::kInfo, ""); }
  static std::string captured() { return testing::internal::GetCapturedStderr(); }
  test::TempDir dir_;
};

TEST_F(LogTest, WritesTheTimeAndTheLevelOfWarnings) {
  log::info("update {}", 7);
  log::warning("careful");
  EXPECT_THAT(captured(), MatchesRegex("[0-9:]{8} update 7\n[0-9:]{8} .*warning: .*careful\n"));
}

TEST_F(LogTest, ShowsNothingBelowItsLevelButFilesIt) {
  const auto file = dir_ / "log";
  log::set_up(log::Level::kWarning, file);
  log::info("details");
  log::debug("more");
  EXPECT_THAT(captured(), IsEmpty());
  EXPECT_THAT(test::read_text(file), AllOf(HasSubstr(" details\n"), HasSubstr(" more\n")));
}

TEST_F(LogTest, AppendsToTheFile) {
  const auto file = dir_.write("log", "earlier\n");
  log::set_up(log::Level::kInfo, file);
  log::info("later");
  (void)captured();
  EXPECT_THAT(test::read_text(file), MatchesRegex("earlier\n[0-9:]{8} later\n"));
}

TEST_F(LogTest, ReportsAsItIs) {
  log::set_up(log::Level::kError, "");
  log::report("error: no such thing");
  EXPECT_EQ(captured(), "error: no such thing\n");
}

TEST_F(LogTest, SaysThatTheFileCannotBeWritten) {
  EXPECT_THROW(log::set_up(log::Level::kInfo, dir_ / "no" / "log"), DataError);
  (void)captured();
}

TEST_F(LogTest, WarnsOnceAboutRepairedLines) {
  LineReader reader(dir_.write("a.txt", "ok\n\xFF\n\xFF\n"));
  while (reader.next()) {
  }
  warn_about_repairs(reader);
  EXPECT_THAT(captured(), AllOf(HasSubstr("a.txt: invalid UTF-8 in 2 lines (line 2 first)"),
                                HasSubstr("warning")));
}

TEST_F(LogTest, IsSilentAboutCleanText) {
  LineReader reader(dir_.write("a.txt", "ok\n"));
  while (reader.next()) {
  }
  warn_about_repairs(reader);
  EXPECT_THAT(captured(), IsEmpty());
}

}  // namespace
}  // namespace attend
