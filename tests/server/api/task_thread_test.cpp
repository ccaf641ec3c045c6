#include "server/api/task_thread.h"

#include <gmock/gmock.h>

#include <future>
#include <vector>

#include "server/http/api_error.h"

namespace attend::server {
namespace {

TEST(TaskThread, RunsAllTasksInOrderBeforeItEnds) {
  std::vector<int> done;
  {
    TaskThread thread;
    for (int i = 0; i < 100; ++i) thread.add([&done, i] { done.push_back(i); });
  }
  ASSERT_EQ(done.size(), 100);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(done[static_cast<std::size_t>(i)], i);
}

TEST(TaskThread, LimitsTheNumberOfWaitingTasks) {
  std::promise<void> go;
  const auto begin = go.get_future().share();
  TaskThread thread;
  thread.add([begin] { begin.wait(); });
  int status = 0;
  for (int i = 0; i < 5000 && status == 0; ++i) {
    try {
      thread.add([] {});
    } catch (const ApiError& error) {
      status = error.status();
    }
  }
  go.set_value();
  EXPECT_EQ(status, 429);
}

}  // namespace
}  // namespace attend::server
