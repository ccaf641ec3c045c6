#include "core/temporary_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <system_error>

#include "tests/support/temp_dir.h"

namespace attend {
namespace {

namespace fs = std::filesystem;
using ::testing::Optional;

class TemporaryFileTest : public testing::Test {
 protected:
  test::TempDir dir_;
};

TEST_F(TemporaryFileTest, IsInTheFolderOfItsTargetAndIsRemoved) {
  fs::path path;
  {
    const TemporaryFile file(dir_ / "x", false);
    path = file.path();
    EXPECT_EQ(path.parent_path(), dir_.path());
    EXPECT_TRUE(fs::exists(path));
  }
  EXPECT_TRUE(fs::is_empty(dir_.path()));
}

TEST_F(TemporaryFileTest, TwoWritersOfOneTargetHaveSeparateFiles) {
  TemporaryFile one(dir_ / "x", false);
  TemporaryFile two(dir_ / "x", false);
  EXPECT_NE(one.path(), two.path());
  EXPECT_EQ(two.rename_to(dir_ / "x"), 0);
  EXPECT_EQ(one.rename_to(dir_ / "x"), 0);
}

TEST_F(TemporaryFileTest, TakesTheNameOfAnAbandonedFile) {
  const auto left = dir_.write("x.attend-1.tmp", "half");
  const TemporaryFile file(dir_ / "x", false);
  EXPECT_EQ(file.path(), left);
  EXPECT_EQ(fs::file_size(left), 0);
}

TEST_F(TemporaryFileTest, LeavesLinksAndFoldersOfItsNameAlone) {
  const auto victim = dir_.write("victim", "precious");
  fs::create_symlink(victim, dir_ / "x.attend-1.tmp");
  fs::create_directory(dir_ / "x.attend-2.tmp");
  const TemporaryFile file(dir_ / "x", false);
  EXPECT_EQ(file.path().filename(), "x.attend-3.tmp");
  EXPECT_EQ(test::read_text(victim), "precious");
}

TEST_F(TemporaryFileTest, CanBePrivate) {
  const TemporaryFile file(dir_ / "x", true);
  EXPECT_EQ(fs::status(file.path()).permissions(), fs::perms(0600));
}

TEST_F(TemporaryFileTest, ShortensTheLongestName) {
  TemporaryFile file(dir_ / std::string(255, 'x'), false);
  EXPECT_EQ(file.rename_to(dir_ / std::string(255, 'x')), 0);
}

TEST_F(TemporaryFileTest, ReportsWhyItCannotBeCreated) {
  EXPECT_THROW(TemporaryFile(dir_ / "no" / "x", false), std::system_error);
}

TEST_F(TemporaryFileTest, RecognizesItsNames) {
  EXPECT_THAT(temporary_target("a/x.attend-12.tmp"), Optional(fs::path("a/x")));
  for (const char* other : {"x.tmp", "x.attend-.tmp", "x.attend-1a.tmp", ".attend-1.tmp", "x"}) {
    EXPECT_EQ(temporary_target(other), std::nullopt) << other;
  }
  const TemporaryFile file(dir_ / "x", false);
  EXPECT_THAT(temporary_target(file.path()), Optional(dir_ / "x"));
}

TEST_F(TemporaryFileTest, RemovesALeftoverOnlyIfNobodyWritesIt) {
  const auto left = dir_.write("y.attend-1.tmp", "half");
  const TemporaryFile file(dir_ / "x", false);
  remove_leftover(left);
  remove_leftover(file.path());
  remove_leftover(dir_ / "z.attend-1.tmp");
  EXPECT_FALSE(fs::exists(left));
  EXPECT_TRUE(fs::exists(file.path()));
}

}  // namespace
}  // namespace attend
