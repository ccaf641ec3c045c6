#include "distributed/socket_store.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <thread>

namespace attend::distributed {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kShortestWait(1);
constexpr milliseconds kLongestWait(20);

/// Throws std::runtime_error. `error` is errno, or 0 if the meeting point closed the connection.
[[noreturn]] void lose_meeting_point(int error) {
  throw std::runtime_error(error == 0 ? "the process that started this one is gone"
                                      : std::strerror(error));
}

[[noreturn]] void refuse(const char* function) {
  throw std::logic_error(std::string("SocketStore does not support ") + function);
}

}  // namespace

SocketStore::SocketStore(int descriptor, milliseconds timeout)
    : Store(timeout), descriptor_(descriptor) {
  if (::fcntl(descriptor, F_SETFD, FD_CLOEXEC) != 0) lose_meeting_point(errno);
}

SocketStore::~SocketStore() {
  ::close(descriptor_);
}

void SocketStore::set(const std::string& key, const std::vector<uint8_t>& value) {
  ask(StoreRequest::set, key, value);
}

std::vector<uint8_t> SocketStore::get(const std::string& key) {
  wait({key});
  return ask(StoreRequest::get, key).value;
}

bool SocketStore::check(const std::vector<std::string>& keys) {
  return std::all_of(keys.begin(), keys.end(),
                     [this](const std::string& key) { return ask(StoreRequest::has, key).found; });
}

bool SocketStore::deleteKey(const std::string& key) {
  return ask(StoreRequest::remove, key).found;
}

void SocketStore::wait(const std::vector<std::string>& keys, const milliseconds& timeout) {
  const auto until = std::chrono::steady_clock::now() + timeout;
  for (milliseconds pause = kShortestWait; !check(keys);
       pause = std::min(2 * pause, kLongestWait)) {
    if (std::chrono::steady_clock::now() > until)
      throw std::runtime_error("another process did not come in time");
    std::this_thread::sleep_for(pause);
  }
}

int64_t SocketStore::add(const std::string& /*key*/, int64_t /*value*/) {
  refuse("add()");
}

int64_t SocketStore::getNumKeys() {
  refuse("getNumKeys()");
}

c10::intrusive_ptr<c10d::Store> SocketStore::clone() {
  refuse("clone()");
}

SocketStore::Reply SocketStore::ask(StoreRequest request, const std::string& key,
                                    const std::vector<uint8_t>& value) {
  const StoreRequestHead head{
      .request = request, .key_bytes = key.size(), .value_bytes = value.size()};
  const std::lock_guard lock(mutex_);
  send(&head, sizeof head);
  send(key.data(), key.size());
  send(value.data(), value.size());
  StoreReplyHead reply;
  receive(&reply, sizeof reply);
  std::vector<uint8_t> content(reply.value_bytes);
  receive(content.data(), content.size());
  return {reply.found, std::move(content)};
}

void SocketStore::send(const void* bytes, std::size_t count) const {
  const char* next = static_cast<const char*>(bytes);
  while (count > 0) {
    const ssize_t sent = ::send(descriptor_, next, count, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) lose_meeting_point(errno);
    next += sent;
    count -= static_cast<std::size_t>(sent);
  }
}

void SocketStore::receive(void* bytes, std::size_t count) const {
  char* next = static_cast<char*>(bytes);
  while (count > 0) {
    const ssize_t received = ::recv(descriptor_, next, count, 0);
    if (received < 0 && errno == EINTR) continue;
    if (received <= 0) lose_meeting_point(received == 0 ? 0 : errno);
    next += received;
    count -= static_cast<std::size_t>(received);
  }
}

}  // namespace attend::distributed
