// Tests the runs of a server without models, over a socket.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "core/file_lock.h"
#include "server/server.h"
#include "tests/cli/tiny_model.h"
#include "tests/server/client.h"
#include "tests/support/temp_dir.h"

namespace attend::server {
namespace {

using attend::test::TempDir;
using nlohmann::json;
using test::Client;
using test::Reply;

/// A running server of the runs in a folder.
class RunServer {
 public:
  explicit RunServer(const std::filesystem::path& runs)
      : models_({}, std::nullopt, torch::Device(torch::kCPU)),
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
  // Its only update would have been the first of two.
  replace_in(dir / "cut/config.yaml", "max_updates: 1", "max_updates: 2");
  std::filesystem::create_directory(dir / "bare");
  dir.write("bare/train.jsonl", "");
  const RunServer server(dir.path());
  EXPECT_EQ(server.run("ended")["state"], "finished");
  EXPECT_EQ(server.run("cut")["state"], "stopped");
  EXPECT_EQ(server.run("bare")["state"], "stopped") << "unknown without a state";
  {
    FileLock lock(dir / "ended/train.lock");
    ASSERT_TRUE(lock.take());
    EXPECT_EQ(server.run("ended")["state"], "training");
  }
  replace_in(dir / "ended/config.yaml", "max_updates: 1", "max_updates: 100");
  EXPECT_EQ(server.run("ended")["state"], "stopped") << "the cached state is not reused";
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

/// Opens a pipe for writing, which waits for a reader; the reader then waits until it is closed.
class HeldPipe {
 public:
  explicit HeldPipe(const std::filesystem::path& pipe) {
    while ((descriptor_ = ::open(pipe.c_str(), O_WRONLY | O_NONBLOCK)) < 0)
      std::this_thread::yield();
  }
  ~HeldPipe() { ::close(descriptor_); }
  HeldPipe(const HeldPipe&) = delete;
  HeldPipe& operator=(const HeldPipe&) = delete;

 private:
  int descriptor_ = -1;
};

// Regression: two requests for 98 MB of history delayed /healthz by seven seconds.
TEST(RunsApi, AnswersOtherRequestsWhileItReads) {
  const TempDir dir;
  std::filesystem::create_directory(dir / "slow");
  for (const char* file : {"slow/train.jsonl", "slow/last.state"}) dir.write(file, "");
  const auto pipe = dir / "slow/config.yaml";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const RunServer server(dir.path());
  std::atomic<int> answered = 0;
  std::vector<std::thread> lookers;
  for (int i = 0; i < 4; ++i) {  // more than the threads that read requests
    lookers.emplace_back([&] {
      EXPECT_EQ(Client(server.port()).get("/v1/runs").status, 200);
      ++answered;
    });
  }
  {
    const HeldPipe held(pipe);
    for (int i = 0; i < 10; ++i) EXPECT_EQ(Client(server.port()).get("/healthz").status, 200);
    EXPECT_EQ(answered, 0);
  }
  for (std::thread& looker : lookers) looker.join();
}

}  // namespace
}  // namespace attend::server
