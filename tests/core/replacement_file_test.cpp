// Writing a file while the disk fails or the process dies at every step.
#include "core/replacement_file.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <iterator>

#include "core/error.h"
#include "core/fault_point.h"
#include "tests/support/temp_dir.h"

namespace attend {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class ReplacementFileTest : public testing::Test {
 protected:
  ~ReplacementFileTest() override { plan_faults(""); }

  void replace(const std::string& content) const {
    ReplacementFile file(dir_ / "a");
    file.stream() << content;
    file.commit({[](const std::filesystem::path&) {}, dir_ / "previous"});
  }
  /// A folder with `a` as its only file.
  void start_over() const {
    std::filesystem::remove(dir_ / "previous");
    dir_.write("a", "old");
  }
  int64_t files() const {
    return std::distance(std::filesystem::directory_iterator(dir_.path()), {});
  }
  std::string content(const char* name) const {
    return std::filesystem::exists(dir_ / name) ? test::read_text(dir_ / name) : "none";
  }

  test::TempDir dir_;
};

TEST_F(ReplacementFileTest, KeepsTheOldFileUnderAnotherName) {
  start_over();
  replace("new");
  EXPECT_EQ(content("a"), "new");
  EXPECT_EQ(content("previous"), "old");
  replace("newest");
  EXPECT_EQ(content("previous"), "new");
}

TEST_F(ReplacementFileTest, KeepsNothingTheFirstTime) {
  replace("new");
  EXPECT_EQ(content("a"), "new");
  EXPECT_EQ(content("previous"), "none");
}

TEST_F(ReplacementFileTest, VerifiesTheNewFileWhileTheOldOneIsInPlace) {
  start_over();
  ReplacementFile file(dir_ / "a");
  file.stream() << "new";
  const auto verify = [&](const std::filesystem::path& written) {
    EXPECT_EQ(test::read_text(written), "new");
    EXPECT_EQ(content("a"), "old");
    throw DataError(written, "wrong content");
  };
  EXPECT_THROW(file.commit({verify, dir_ / "previous"}), DataError);
  EXPECT_EQ(content("a"), "old");
  EXPECT_EQ(content("previous"), "none");
}

// Open, write, flush, verify, keep and rename can fail. The seventh step flushes the folder; by
// then the new file is in place.
TEST_F(ReplacementFileTest, LeavesTheOldFileWhereverTheDiskFails) {
  for (int step = 1; step <= 6; ++step) {
    start_over();
    plan_faults(fmt::format("fail={}", step));
    EXPECT_THAT([&] { replace("new"); },
                ThrowsMessage<DataError>(HasSubstr("No space left on device")))
        << "step " << step;
    EXPECT_EQ(content("a"), "old") << "step " << step;
    EXPECT_EQ(files(), 1) << "step " << step;
  }
  start_over();
  plan_faults("fail=7");
  replace("new");
  EXPECT_EQ(content("a"), "new");
}

TEST_F(ReplacementFileTest, LeavesAWholeFileWhereverTheProcessDies) {
  for (int step = 1; step <= 7; ++step) {
    start_over();
    const auto die = [&] {
      plan_faults(fmt::format("kill={}", step));
      replace("new");
    };
    EXPECT_EXIT(die(), testing::KilledBySignal(SIGKILL), "");
    const std::string newest = content("a");
    EXPECT_TRUE(newest == "old" || newest == "new" || content("previous") == "old")
        << "step " << step;
    EXPECT_LE(files(), 3) << "the file left by the previous kill is removed";
  }
  replace("new");
  EXPECT_EQ(files(), 2) << "only the file and the old one remain";
}

// Regression: the temporary file was once called `<file>.tmp`.
TEST_F(ReplacementFileTest, LeavesAUserFileWithATemporaryNameAlone) {
  dir_.write("a.tmp", "the user's");
  replace("new");
  EXPECT_EQ(content("a.tmp"), "the user's");
  EXPECT_EQ(content("a"), "new");
}

TEST_F(ReplacementFileTest, TwoWritersOfOneFileDoNotMixTheirBytes) {
  ReplacementFile one(dir_ / "a");
  one.stream() << "one one one" << std::flush;
  ReplacementFile two(dir_ / "a");
  two.stream() << "two" << std::flush;
  one.commit();
  EXPECT_EQ(content("a"), "one one one");
  two.commit();
  EXPECT_EQ(content("a"), "two");
  EXPECT_EQ(files(), 1);
}

TEST_F(ReplacementFileTest, KeepsThePermissionsOfTheReplacedFile) {
  namespace fs = std::filesystem;
  start_over();
  fs::permissions(dir_ / "a", fs::perms(0640));
  replace("new");
  EXPECT_EQ(fs::status(dir_ / "a").permissions(), fs::perms(0640));
}

TEST_F(ReplacementFileTest, KeepsTheOwnerOfTheReplacedFileIfPermitted) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can change the owner of a file";
  start_over();
  ASSERT_EQ(::chown((dir_ / "a").c_str(), 1234, 2345), 0);
  replace("new");
  struct stat status = {};
  ASSERT_EQ(::stat((dir_ / "a").c_str(), &status), 0);
  EXPECT_EQ(status.st_uid, 1234U);
  EXPECT_EQ(status.st_gid, 2345U);
}

TEST_F(ReplacementFileTest, WritesThroughALinkToAMissingFile) {
  std::filesystem::create_symlink("b", dir_ / "a");
  replace("new");
  EXPECT_TRUE(std::filesystem::is_symlink(dir_ / "a"));
  EXPECT_EQ(content("b"), "new");
}

TEST_F(ReplacementFileTest, RejectsALoopOfLinks) {
  std::filesystem::create_symlink("a", dir_ / "a");
  EXPECT_THAT([&] { replace("new"); },
              ThrowsMessage<DataError>(HasSubstr("Too many levels of symbolic links")));
}

TEST_F(ReplacementFileTest, RemovesAFileIfItExists) {
  const auto file = dir_.write("a", "old");
  remove_file(file);
  EXPECT_FALSE(std::filesystem::exists(file));
  remove_file(file);
  dir_.write("a", "old");
  plan_faults("fail=1");
  EXPECT_THAT([&] { remove_file(file); }, ThrowsMessage<DataError>(HasSubstr("cannot remove")));
}

}  // namespace
}  // namespace attend
