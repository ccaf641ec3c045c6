#include "core/log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>

#include "core/error.h"
#include "core/file.h"
#include "tests/support/temp_dir.h"

namespace attend {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::MatchesRegex;
using ::testing::Not;

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

TEST_F(LogTest, WritesMessagesBelowItsLevelOnlyToTheFile) {
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

TEST_F(LogTest, WritesReportsUnchanged) {
  log::set_up(log::Level::kError, "");
  log::report("error: no such thing");
  EXPECT_EQ(captured(), "error: no such thing\n");
}

TEST_F(LogTest, ReportsThatTheFileCannotBeWritten) {
  EXPECT_THROW(log::set_up(log::Level::kInfo, dir_ / "no" / "log"), DataError);
  (void)captured();
}

TEST_F(LogTest, WritesReportsToTheFileWithTheTime) {
  const auto file = dir_ / "log";
  log::set_up(log::Level::kError, file);
  log::report("error: no such thing");
  EXPECT_EQ(captured(), "error: no such thing\n");
  EXPECT_THAT(test::read_text(file), MatchesRegex("[0-9:]{8} error: no such thing\n"));
}

TEST_F(LogTest, DoesNotTreatMessagesAsPatterns) {
  log::info("{}", "100 % of {} and %v");
  EXPECT_THAT(captured(), MatchesRegex("[0-9:]{8} 100 % of \\{\\} and %v\n"));
}

TEST_F(LogTest, EscapesTerminalControls) {
  log::report("two\nlines\tand \x1b[2J\r\x7f\xC2\x9b Größe ©");
  EXPECT_EQ(captured(), "two\nlines\tand \\x1b[2J\\x0d\\x7f\\x9b Größe ©\n");
}

TEST_F(LogTest, HasEveryLineOnDiskWhenTheProcessIsKilled) {
  const auto file = dir_ / "log";
  const auto die = [&] {
    log::set_up(log::Level::kInfo, file);
    log::debug("the last message");
    ::kill(::getpid(), SIGKILL);
  };
  (void)captured();
  EXPECT_EXIT(die(), testing::KilledBySignal(SIGKILL), "");
  EXPECT_THAT(test::read_text(file), HasSubstr(" the last message\n"));
}

TEST_F(LogTest, RotatesTheFileAtTheLimit) {
  const auto file = dir_.write("x.log", std::string(80, 'e') + "\n");
  log::set_up(log::Level::kWarning, file, /*limit=*/100);
  for (int i = 0; i < 50; ++i) log::info("line {}", i);
  EXPECT_THAT(captured(), IsEmpty());
  EXPECT_THAT(test::read_text(file), HasSubstr(" line 49\n"));
  EXPECT_LE(std::filesystem::file_size(file), 100);
  EXPECT_THAT(test::read_text(dir_ / "x.1.log"), Not(HasSubstr("line 49")));
  EXPECT_LE(std::filesystem::file_size(dir_ / "x.1.log"), 100);
  EXPECT_FALSE(std::filesystem::exists(dir_ / "x.2.log"));
}

TEST_F(LogTest, DoesNotRotateADevice) {
  log::set_up(log::Level::kWarning, "/dev/null", /*limit=*/10);
  for (int i = 0; i < 5; ++i) log::info("more than ten characters");
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
  EXPECT_THAT(captured(), IsEmpty());
}

TEST_F(LogTest, WarnsOnceThatTheDiskIsFull) {
  log::set_up(log::Level::kInfo, "/dev/full");
  log::info("one");
  log::info("two");
  EXPECT_THAT(captured(),
              MatchesRegex("[0-9:]{8} one\n[0-9:]{8} warning: the log file is incomplete: "
                           ".*No space left on device\n[0-9:]{8} two\n"));
}

TEST_F(LogTest, ClearsNoLiveLineWithoutATerminal) {
  static int cleared = 0;
  log::set_before_write([] { ++cleared; });
  log::info("to a file, not to a terminal");
  log::set_before_write(nullptr);
  (void)captured();
  EXPECT_EQ(cleared, 0);
}

TEST_F(LogTest, WarnsOnceAboutRepairedLines) {
  LineReader reader(dir_.write("a.txt", "ok\n\xFF\n\xFF\n"));
  while (reader.next()) {
  }
  warn_about_repairs(reader);
  EXPECT_THAT(captured(), AllOf(HasSubstr("a.txt: invalid UTF-8 in 2 lines (first: line 2)"),
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
