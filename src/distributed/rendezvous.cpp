#include "distributed/rendezvous.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <future>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>
#include <utility>

#include "distributed/socket_store.h"

namespace attend::distributed {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

constexpr milliseconds kTimeToJoin = std::chrono::minutes(2);
constexpr milliseconds kHeartbeat(500);
constexpr milliseconds kShortestPause(2);
constexpr milliseconds kLongestPause(100);

/// The connections of a process to the store. Unless the launcher hosts the store, the first
/// process starts it with its main connection.
enum class Connection { main, heartbeats };

c10::intrusive_ptr<c10d::Store> connect_to_store(const Place& place, Connection connection) {
  if (!place.connections.empty())
    return c10::make_intrusive<SocketStore>(
        place.connections.at(static_cast<std::size_t>(connection)), kTimeToJoin);
  c10d::TCPStoreOptions options;
  options.port = place.port;
  options.isServer = connection == Connection::main && !place.meets_launcher && place.rank == 0;
  options.waitWorkers = false;
  options.timeout = kTimeToJoin;
  return c10::make_intrusive<c10d::TCPStore>(place.address, options);
}

c10::intrusive_ptr<c10d::Store> open_rendezvous(const Place& place, Connection connection) {
  try {
    return c10::make_intrusive<c10d::PrefixStore>(place.prefix + "/attend",
                                                  connect_to_store(place, connection));
  } catch (const std::exception& error) {
    const std::string message = error.what();
    const std::string why = message.substr(0, message.find('\n'));
    if (!place.connections.empty())
      throw PeerLost{std::nullopt, "the rendezvous cannot be reached: " + why};
    throw PeerLost{
        std::nullopt,
        fmt::format("the rendezvous at {}:{} cannot be reached: {}; MASTER_PORT sets another port",
                    place.address, place.port, why)};
  }
}

std::vector<uint8_t> bytes_of(const std::string& text) {
  return {text.begin(), text.end()};
}

/// Runs `task` in its own thread, since a store never answers while its host is stopped. The thread
/// may outlive the call, so `task` must own its data.
template <class Task>
auto within(milliseconds timeout, Task task) {
  std::packaged_task<decltype(task())()> packaged(std::move(task));
  auto result = packaged.get_future();
  std::thread(std::move(packaged)).detach();
  if (result.wait_for(timeout) != std::future_status::ready) throw PeerLost{0, "no longer answers"};
  return result.get();
}

/// Runs `task` on the store. Any failure means that the host of the store is gone.
template <class Task>
auto reach(const Place& place, milliseconds timeout, Task task) {
  try {
    const bool by_peer = !place.meets_launcher && place.rank != 0;
    return by_peer ? within(timeout, std::move(task)) : task();
  } catch (const std::exception&) {
    if (place.meets_launcher) throw PeerLost{std::nullopt, "the launcher is gone"};
    throw PeerLost{0, "is gone"};
  }
}

}  // namespace

Rendezvous::Rendezvous(const Place& place)
    : place_(place),
      timeout_(kTimeToJoin),
      store_(open_rendezvous(place, Connection::main)),
      heartbeat_store_(open_rendezvous(place, Connection::heartbeats)),
      heartbeats_([this] { send_heartbeats(); }) {}

Rendezvous::~Rendezvous() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  wake_.notify_all();
  heartbeats_.join();
}

void Rendezvous::send_heartbeats() {
  const std::string key = fmt::format("beat/{}", place_.rank);
  std::unique_lock lock(mutex_);
  try {
    for (int64_t count = 1; !ended_; ++count) {
      heartbeat_store_->set(key, bytes_of(std::to_string(count)));
      wake_.wait_for(lock, kHeartbeat, [this] { return ended_; });
    }
  } catch (const std::exception&) {
    // Ignored: the main thread notices and reports that the store is gone.
  }
}

void Rendezvous::post(const std::string& key, const std::string& text) {
  reach(place_, timeout_, [store = store_, key, text] { store->set(key, bytes_of(text)); });
}

std::optional<std::string> Rendezvous::find(const std::string& key) {
  return reach(place_, timeout_, [store = store_, key]() -> std::optional<std::string> {
    if (!store->check({key})) return std::nullopt;
    const std::vector<uint8_t> bytes = store->get(key);
    return std::string(bytes.begin(), bytes.end());
  });
}

std::string Rendezvous::heartbeat_of(int64_t rank) {
  return find(fmt::format("beat/{}", rank)).value_or("");
}

void Rendezvous::check_failure(int64_t rank) {
  const auto failure = find(fmt::format("failure/{}", rank));
  if (failure) throw PeerLost{rank, "failed: " + *failure, true};
}

std::string Rendezvous::await(const std::string& key, int64_t rank,
                              const std::function<void()>& check) {
  std::string beats;
  auto heard = Clock::now();
  auto checked = heard;
  for (milliseconds pause = kShortestPause;; pause = std::min(2 * pause, kLongestPause)) {
    if (auto note = find(key)) return *std::move(note);
    check();
    const auto now = Clock::now();
    if (now - checked >= kHeartbeat) {
      checked = now;
      check_failure(rank);
      std::string latest = heartbeat_of(rank);
      if (std::exchange(beats, std::move(latest)) != beats) heard = now;
    }
    if (now - heard > timeout_)
      throw PeerLost{rank, fmt::format("sent no heartbeat for {} s",
                                       std::chrono::duration<double>(timeout_).count())};
    std::this_thread::sleep_for(pause);
  }
}

std::string Rendezvous::take(const std::string& key, int64_t rank) {
  std::string note = await(key, rank);
  remove(key);
  return note;
}

void Rendezvous::remove(const std::string& key) {
  reach(place_, timeout_, [store = store_, key] { static_cast<void>(store->deleteKey(key)); });
}

std::vector<int64_t> Rendezvous::silent(const std::vector<int64_t>& ranks, milliseconds window) {
  std::vector<std::string> before;
  for (const int64_t rank : ranks) before.push_back(heartbeat_of(rank));
  std::this_thread::sleep_for(window);
  std::vector<int64_t> silent;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    if (heartbeat_of(ranks[i]) == before[i]) silent.push_back(ranks[i]);
  }
  return silent;
}

}  // namespace attend::distributed
