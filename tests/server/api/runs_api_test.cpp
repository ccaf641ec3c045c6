// Tests the runs of a server without models, over a socket.
#include <gmock/gmock.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <future>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "core/file_lock.h"
#include "server/api/context.h"
#include "server/api/handlers.h"
#include "server/server.h"
#include "tests/cli/tiny_model.h"
#include "tests/server/client.h"
#include "tests/support/temp_dir.h"
#include "tests/support/tested_device.h"

namespace attend::server {
namespace {

using namespace std::chrono_literals;
using attend::test::TempDir;
using nlohmann::json;
using test::Client;
using test::Reply;

/// A running server of the runs in a folder.
class RunServer {
 public:
  explicit RunServer(const std::filesystem::path& runs)
      : models_({}, std::nullopt, attend::test::tested_device()),
        server_(models_, {.port = 0, .runs = runs, .batch = {.threads = 1}}),
        thread_([this] { server_.run(); }) {}
  ~RunServer() {
    server_.stop();
    thread_.join();
  }
  RunServer(const RunServer&) = delete;
  RunServer& operator=(const RunServer&) = delete;

  [[nodiscard]] uint16_t port() const { return server_.port(); }
  [[nodiscard]] json get(const std::string& path) const {
    const Reply reply = Client(port()).get(path);
    EXPECT_EQ(reply.status, 200) << reply.body;
    return json::parse(reply.body);
  }
  [[nodiscard]] json run(const std::string& name) const {
    const json all = get("/v1/runs");
    for (const json& run : all["runs"]) {
      if (run["name"] == name) return run;
    }
    return {};
  }

 private:
  ServedModels models_;
  Server server_;
  std::thread thread_;
};

void replace_in(const std::filesystem::path& file, const std::string& old,
                const std::string& with) {
  std::string text = attend::test::read_text(file);
  const std::size_t at = text.find(old);
  ASSERT_NE(at, std::string::npos) << text;
  std::ofstream(file) << text.replace(at, old.size(), with);
}

// Regression: a finished run was reported as stopped.
TEST(RunsApi, DistinguishesFinishedFromInterruptedRuns) {
  const TempDir dir;
  (void)cli::test::train_tiny_model(dir, "ended", {});
  (void)cli::test::train_tiny_model(dir, "cut", {});
  // Now its only update is the first of two.
  replace_in(dir / "cut/config.yaml", "max_updates: 1", "max_updates: 2");
  std::filesystem::create_directory(dir / "bare");
  dir.write("bare/train.jsonl", "");
  const RunServer server(dir.path());
  EXPECT_EQ(server.run("ended")["state"], "finished");
  EXPECT_EQ(server.run("cut")["state"], "stopped");
  EXPECT_EQ(server.run("bare")["state"], "stopped") << "without a state";
  {
    FileLock lock(dir / "ended/train.lock");
    ASSERT_TRUE(lock.take());
    EXPECT_EQ(server.run("ended")["state"], "training");
  }
  replace_in(dir / "ended/config.yaml", "max_updates: 1", "max_updates: 100");
  EXPECT_EQ(server.run("ended")["state"], "stopped") << "the changed config is read again";
}

TEST(RunsApi, ReadsAppendedLinesAndForgetsDeletedRuns) {
  const TempDir dir;
  std::filesystem::create_directory(dir / "one");
  const std::string first = "{\"type\":\"train\",\"update\":1,\"loss\":2.5}\n";
  dir.write("one/train.jsonl", first);
  const RunServer server(dir.path());
  EXPECT_EQ(server.run("one")["updates"], 1);
  dir.write("one/train.jsonl", first + "{\"type\":\"train\",\"update\":2,\"loss\":1.5}\n");
  EXPECT_EQ(server.run("one")["updates"], 2);
  const json news = server.get("/v1/runs/one?after=1")["train"];
  ASSERT_EQ(news.size(), 1);
  EXPECT_EQ(news[0], json({{"update", 2},
                           {"loss", 1.5},
                           {"learning_rate", nullptr},
                           {"tokens_per_second", nullptr}}));
  std::filesystem::remove_all(dir / "one");
  EXPECT_EQ(server.get("/v1/runs")["runs"], json::array());
  EXPECT_EQ(Client(server.port()).get("/v1/runs/one").status, 404);
}

/// Keeps the answer.
class KeptAnswer final : public Exchange {
 public:
  void respond(Response response) override { answer_.set_value(std::move(response)); }
  void send_event(std::string_view /*name*/, std::string_view /*data*/) override {}
  void finish_events(int /*status*/) override {}
  [[nodiscard]] bool is_abandoned() const override { return false; }
  [[nodiscard]] std::future<Response> answer() { return answer_.get_future(); }

 private:
  std::promise<Response> answer_;
};

// Regression: two requests for 98 MB of history delayed /healthz by seven seconds.
TEST(RunsApi, LeavesReadingToAnotherThread) {
  const TempDir dir;
  ServedModels models({}, std::nullopt, attend::test::tested_device());
  Statistics statistics;
  TrainingNeighbors neighbors(false);
  SearchQueue queue({.threads = 1}, statistics);
  RunFolders runs(dir.path());
  TaskThread thread;
  const Context context{.models = models,
                        .queue = queue,
                        .statistics = statistics,
                        .neighbors = neighbors,
                        .runs = runs,
                        .runs_thread = thread,
                        .seed = 1};
  std::promise<void> go;
  thread.add([&] { go.get_future().wait(); });  // as if it read a long history
  const auto list = std::make_shared<KeptAnswer>(), one = std::make_shared<KeptAnswer>();
  auto listed = list->answer(), shown = one->answer();
  list_runs(context, {}, list);
  Request none;
  none.path = "/v1/runs/none";
  show_run(context, none, one);
  EXPECT_EQ(listed.wait_for(0s), std::future_status::timeout);
  EXPECT_EQ(shown.wait_for(0s), std::future_status::timeout);
  go.set_value();
  EXPECT_EQ(listed.get().body, R"({"runs":[]})");
  EXPECT_EQ(shown.get().status, 404);
}

}  // namespace
}  // namespace attend::server
