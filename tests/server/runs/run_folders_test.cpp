#include "server/runs/run_folders.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <atomic>
#include <filesystem>
#include <thread>

#include "core/file_lock.h"
#include "tests/support/temp_dir.h"

namespace attend::server {
namespace {

namespace fs = std::filesystem;
using attend::test::TempDir;
using testing::HasSubstr;

fs::path make_run(const TempDir& dir, const std::string& name) {
  fs::create_directories(dir / name);
  dir.write(name + "/train.jsonl", "{\"type\":\"train\",\"update\":7,\"loss\":2.5}\n");
  return dir / name;
}

// A pipe without a writer: opening it waits for ever.
TEST(RunFolders, DoesNotWaitForPipes) {
  for (const char* name : {"config.yaml", "last.state", "train.lock", "train.jsonl"}) {
    const TempDir dir;
    const fs::path run = make_run(dir, "run");
    for (const char* other : {"config.yaml", "last.state"})
      dir.write(std::string("run/") + other, "");
    fs::remove(run / name);
    ASSERT_EQ(::mkfifo((run / name).c_str(), 0600), 0);
    RunFolders runs(dir.path());
    ASSERT_EQ(runs.all().size(), 1) << name;
    EXPECT_STREQ(runs.all().begin()->second.state(), "stopped") << name;
  }
}

TEST(RunFolders, FollowsNoLinks) {
  const TempDir outside, dir;
  const fs::path secret = make_run(outside, "secret");
  make_run(dir, "own");
  fs::create_directory_symlink(secret, dir / "linked");
  fs::create_directory(dir / "files");
  fs::create_symlink(secret / "train.jsonl", dir / "files/train.jsonl");
  RunFolders runs(dir.path());
  EXPECT_EQ(runs.all().count(dir / "linked"), 0);
  EXPECT_EQ(runs.named("own").history().curves().updates, 7);
  const RunHistory& linked = runs.named("files").history();
  EXPECT_EQ(linked.curves().updates, 0);
  EXPECT_THAT(linked.problem(), HasSubstr("not a regular file"));
}

TEST(RunFolders, ReadsARootThatIsALink) {
  const TempDir dir;
  make_run(dir, "runs/one");
  fs::create_directory_symlink(dir / "runs", dir / "link");
  RunFolders runs(dir / "link");
  EXPECT_EQ(runs.named("one").history().curves().updates, 7);
}

// Regression: a run could not start at the moment when /v1/runs tried its lock.
TEST(RunFolders, ALookAtARunDoesNotKeepItFromStarting) {
  const TempDir dir;
  const fs::path folder = make_run(dir, "run");
  std::atomic<bool> done = false;
  std::thread looker([&] {
    TrainingRun run(folder);
    while (!done) (void)run.state();
  });
  int refused = 0;
  for (int i = 0; i < 5000; ++i) {
    dir.write("run/train.lock", "");  // as a killed run leaves it
    FileLock lock(folder / "train.lock");
    if (!lock.take()) ++refused;
  }
  done = true;
  looker.join();
  EXPECT_EQ(refused, 0);
}

}  // namespace
}  // namespace attend::server
