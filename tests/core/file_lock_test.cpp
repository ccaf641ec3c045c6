#include "core/file_lock.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "core/error.h"
#include "tests/support/temp_dir.h"

namespace attend {
namespace {

TEST(FileLock, HasOneHolderAtATimeWhoseProcessIsKnown) {
  const test::TempDir dir;
  FileLock first(dir / "lock");
  FileLock second(dir / "lock");
  EXPECT_FALSE(lock_holder(dir / "lock"));
  ASSERT_TRUE(first.take());
  EXPECT_FALSE(second.take());
  EXPECT_EQ(lock_holder(dir / "lock"), ::getpid());
}

TEST(FileLock, LeavesNoFileAndCanBeTakenAgain) {
  const test::TempDir dir;
  {
    FileLock first(dir / "lock");
    ASSERT_TRUE(first.take());
  }
  EXPECT_FALSE(std::filesystem::exists(dir / "lock"));
  FileLock second(dir / "lock");
  EXPECT_TRUE(second.take());
}

TEST(FileLock, AFailedTakeDoesNotRemoveTheFile) {
  const test::TempDir dir;
  FileLock first(dir / "lock");
  ASSERT_TRUE(first.take());
  {
    FileLock second(dir / "lock");
    EXPECT_FALSE(second.take());
  }
  EXPECT_TRUE(lock_holder(dir / "lock"));
}

/// Starts a process that takes the lock, reports it and waits to be killed.
pid_t start_holder(const std::filesystem::path& file) {
  int ready[2];
  EXPECT_EQ(::pipe(ready), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    FileLock lock(file);
    const char taken = lock.take() ? 'y' : 'n';
    if (::write(ready[1], &taken, 1) == 1) ::pause();
    ::_exit(1);
  }
  char taken = 'n';
  EXPECT_EQ(::read(ready[0], &taken, 1), 1);
  EXPECT_EQ(taken, 'y');
  ::close(ready[0]);
  ::close(ready[1]);
  return child;
}

TEST(FileLock, EndsWhenTheProcessIsKilled) {
  const test::TempDir dir;
  const pid_t child = start_holder(dir / "lock");
  FileLock lock(dir / "lock");
  EXPECT_FALSE(lock.take());
  EXPECT_EQ(lock_holder(dir / "lock"), child);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  EXPECT_TRUE(std::filesystem::exists(dir / "lock"));
  EXPECT_FALSE(lock_holder(dir / "lock"));
  EXPECT_TRUE(lock.take());
}

TEST(FileLock, NamesAFileThatCannotBeCreated) {
  const test::TempDir dir;
  FileLock lock(dir / "nowhere" / "lock");
  EXPECT_THROW((void)lock.take(), DataError);
}

// Regression: --resume in a folder from elsewhere emptied the file that its train.lock pointed to.
TEST(FileLock, LeavesTheTargetOfALinkAlone) {
  const test::TempDir dir;
  const auto precious = dir.write("precious", "precious");
  std::filesystem::create_symlink("precious", dir / "lock");
  std::filesystem::create_symlink("nowhere", dir / "dangling");
  for (const char* name : {"lock", "dangling"}) {
    FileLock lock(dir / name);
    EXPECT_THAT([&] { (void)lock.take(); },
                testing::ThrowsMessage<DataError>(testing::HasSubstr("is a link")));
    EXPECT_TRUE(std::filesystem::is_symlink(dir / name));
  }
  EXPECT_EQ(test::read_text(precious), "precious");
  EXPECT_FALSE(std::filesystem::exists(dir / "nowhere"));
}

// Regression: a user's own file of this name was emptied, and removed in the end.
TEST(FileLock, LeavesAFileWithOtherContentAlone) {
  const test::TempDir dir;
  for (const char* content : {"my notes", "17 sheep", "\n\nx"}) {
    const auto file = dir.write("lock", content);
    {
      FileLock lock(file);
      EXPECT_THAT([&] { (void)lock.take(); },
                  testing::ThrowsMessage<DataError>(testing::HasSubstr("is not a lock")));
    }
    EXPECT_EQ(test::read_text(file), content);
  }
}

TEST(FileLock, TakesOverWhatAKilledProcessLeft) {
  const test::TempDir dir;
  for (const char* content : {"", "123", "4194304\n"}) {
    FileLock lock(dir.write("lock", content));
    EXPECT_TRUE(lock.take()) << content;
  }
}

TEST(FileLock, SaysNothingOfTheHolderOfALinkedFile) {
  const test::TempDir dir;
  std::filesystem::create_symlink("lock", dir / "link");
  FileLock lock(dir / "lock");
  ASSERT_TRUE(lock.take());
  EXPECT_FALSE(lock_holder(dir / "link"));
}

TEST(FileLock, NeverWaitsForAPipe) {
  const test::TempDir dir;
  ASSERT_EQ(::mkfifo((dir / "lock").c_str(), 0600), 0);
  EXPECT_FALSE(lock_holder(dir / "lock"));
  FileLock lock(dir / "lock");
  EXPECT_THROW((void)lock.take(), DataError);
  EXPECT_TRUE(std::filesystem::is_fifo(dir / "lock"));
}

}  // namespace
}  // namespace attend
