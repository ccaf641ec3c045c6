#include "distributed/meeting_point.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <charconv>
#include <filesystem>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "distributed/socket_store.h"

namespace attend::distributed {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kLong = std::chrono::minutes(1);
constexpr milliseconds kShort(1);

std::vector<uint8_t> bytes(const std::string& text) {
  return {text.begin(), text.end()};
}

class MeetingPointTest : public testing::Test {
 protected:
  [[nodiscard]] std::unique_ptr<SocketStore> connect(milliseconds timeout = kLong) {
    return std::make_unique<SocketStore>(meeting_point_->connect(), timeout);
  }

  std::optional<MeetingPoint> meeting_point_{std::in_place};
};

TEST_F(MeetingPointTest, ShowsValuesToAllConnections) {
  const auto one = connect();
  const auto other = connect();
  one->set("key", bytes("a\0b\n"));
  EXPECT_EQ(other->get("key"), bytes("a\0b\n"));
  other->set("key", {});
  EXPECT_TRUE(one->check({"key"}));
  EXPECT_EQ(one->get("key"), bytes(""));
  EXPECT_FALSE(one->check({"key", "none"}));
  EXPECT_TRUE(one->deleteKey("key"));
  EXPECT_FALSE(one->deleteKey("key"));
  EXPECT_FALSE(other->check({"key"}));
}

// A note may contain a run's tokenizers, and is then larger than the buffers of a socket.
TEST_F(MeetingPointTest, KeepsLargeValues) {
  std::vector<uint8_t> value(5'000'011);
  for (std::size_t i = 0; i < value.size(); ++i) value[i] = static_cast<uint8_t>(i % 251);
  const auto store = connect();
  store->set("large", value);
  store->set("small", bytes("x"));
  EXPECT_EQ(store->get("large"), value);
  EXPECT_EQ(connect()->get("small"), bytes("x"));
}

TEST_F(MeetingPointTest, ServesManyConnectionsAtATime) {
  std::vector<std::thread> threads;
  for (int rank = 0; rank < 8; ++rank) {
    threads.emplace_back([this, rank] {
      const auto store = connect();
      for (int i = 0; i < 50; ++i) {
        const auto key = [i](int of) { return std::to_string(of) + "/" + std::to_string(i); };
        store->set(key(rank), bytes(key(rank)));
        const int next = (rank + 1) % 8;
        EXPECT_EQ(store->get(key(next)), bytes(key(next)));  // waits for it
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST_F(MeetingPointTest, EndsAWaitAtItsTimeout) {
  EXPECT_THROW(connect(kShort)->get("none"), std::runtime_error);
}

TEST_F(MeetingPointTest, OutlivesAConnectionThatEndsInTheMiddleOfARequest) {
  const auto store = connect();
  const int other = meeting_point_->connect();
  ASSERT_EQ(::write(other, "xyz", 3), 3);
  ::close(other);
  store->set("key", bytes("value"));
  EXPECT_EQ(store->get("key"), bytes("value"));
}

TEST_F(MeetingPointTest, IsMissedOnceItIsGone) {
  const auto store = connect();
  store->set("key", bytes("value"));
  meeting_point_.reset();
  EXPECT_THROW(store->get("key"), std::runtime_error);
  EXPECT_THROW(store->set("key", {}), std::runtime_error);
}

// A program that a rank starts must not keep the rank's connection open.
TEST_F(MeetingPointTest, PassesConnectionsOnOnlyToRanks) {
  const int descriptor = meeting_point_->connect();
  EXPECT_EQ(::fcntl(descriptor, F_GETFD), FD_CLOEXEC);
  ::fcntl(descriptor, F_SETFD, 0);
  const SocketStore store(descriptor, kLong);
  EXPECT_EQ(::fcntl(descriptor, F_GETFD), FD_CLOEXEC);
}

bool listens(int descriptor) {
  int accepts = 0;
  socklen_t size = sizeof accepts;
  return ::getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &accepts, &size) == 0 && accepts != 0;
}

// A c10d TCPStore listens on all interfaces: anybody on the network could read what the processes
// of a run exchange, and end the run.
TEST_F(MeetingPointTest, ListensNowhere) {
  const auto store = connect();
  store->set("key", bytes("value"));
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    const std::string name = entry.path().filename().string();
    int descriptor = -1;
    std::from_chars(name.data(), name.data() + name.size(), descriptor);
    EXPECT_FALSE(listens(descriptor)) << name;
  }
}

}  // namespace
}  // namespace attend::distributed
