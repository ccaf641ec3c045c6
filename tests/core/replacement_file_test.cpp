// Writing a file while the disk fails or the process dies at every step.
#include "core/replacement_file.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

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
  /// A folder in which `a` is the only file.
  void start_over() const {
    for (const char* name : {"previous", "a.tmp"}) std::filesystem::remove(dir_ / name);
    dir_.write("a", "old");
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

TEST_F(ReplacementFileTest, HasNothingToKeepTheFirstTime) {
  replace("new");
  EXPECT_EQ(content("a"), "new");
  EXPECT_EQ(content("previous"), "none");
}

TEST_F(ReplacementFileTest, VerifiesTheNewFileWhileTheOldOneIsInItsPlace) {
  start_over();
  ReplacementFile file(dir_ / "a");
  file.stream() << "new";
  const auto verify = [&](const std::filesystem::path& written) {
    EXPECT_EQ(test::read_text(written), "new");
    EXPECT_EQ(content("a"), "old");
    throw DataError(written, "not what it should be");
  };
  EXPECT_THROW(file.commit({verify, dir_ / "previous"}), DataError);
  EXPECT_EQ(content("a"), "old");
  EXPECT_EQ(content("previous"), "none");
}

// Open, write, flush, verify, keep and rename can fail; the seventh step is flushing the folder,
// when the new file is in its place.
TEST_F(ReplacementFileTest, LeavesTheOldFileWhereverTheDiskFails) {
  for (int step = 1; step <= 6; ++step) {
    start_over();
    plan_faults(fmt::format("fail={}", step));
    EXPECT_THAT([&] { replace("new"); },
                ThrowsMessage<DataError>(HasSubstr("No space left on device")))
        << "step " << step;
    EXPECT_EQ(content("a"), "old") << "step " << step;
    EXPECT_EQ(content("a.tmp"), "none") << "step " << step;
  }
  start_over();
  plan_faults("fail=7");
  replace("new");
  EXPECT_EQ(content("a"), "new");
}

TEST_F(ReplacementFileTest, HasAWholeFileWhereverTheProcessDies) {
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
  }
}

TEST_F(ReplacementFileTest, RemovesAFileThatMayBeThere) {
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
