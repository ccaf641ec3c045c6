#include "distributed/meeting_point.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include "distributed/store_message.h"

namespace attend::distributed {
namespace {

constexpr std::size_t kReadBytes = 1 << 16;

using Values = std::map<std::string, std::string>;

[[noreturn]] void fail_to_meet() {
  throw std::system_error(errno, std::generic_category(), "opening the meeting point");
}

std::string answer(Values& values, StoreRequest request, std::string key, std::string value) {
  const auto found = values.find(key);
  StoreReplyHead head{.found = found != values.end()};
  std::string content;
  if (request == StoreRequest::set) {
    values[std::move(key)] = std::move(value);
  } else if (request == StoreRequest::get && head.found) {
    content = found->second;
  } else if (request == StoreRequest::remove && head.found) {
    values.erase(found);
  }
  head.value_bytes = content.size();
  std::string reply(sizeof head, '\0');
  std::memcpy(reply.data(), &head, sizeof head);
  return reply += content;
}

}  // namespace

/// The connection to one process, with the part of its next request that has arrived and the unsent
/// rest of the last reply.
class MeetingPoint::Connection {
 public:
  explicit Connection(int descriptor) : descriptor_(descriptor) {}
  Connection(Connection&& other) noexcept
      : descriptor_(std::exchange(other.descriptor_, -1)),
        request_(std::move(other.request_)),
        reply_(std::move(other.reply_)),
        sent_(other.sent_) {}
  Connection& operator=(Connection&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    std::swap(request_, other.request_);
    std::swap(reply_, other.reply_);
    std::swap(sent_, other.sent_);
    return *this;
  }
  ~Connection() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }

  [[nodiscard]] pollfd awaited() const {
    return {descriptor_, static_cast<short>(reply_.empty() ? POLLIN : POLLOUT), 0};
  }

  /// Reads, answers or writes as far as possible without waiting. Returns false once the process is
  /// gone.
  [[nodiscard]] bool proceed(Values& values) {
    if (!reply_.empty()) return write();
    if (!read()) return false;
    while (reply_.empty() && has_request()) reply_ = take_request(values);
    return reply_.empty() || write();
  }

 private:
  [[nodiscard]] bool read() {
    std::array<char, kReadBytes> bytes{};
    const ssize_t count = ::recv(descriptor_, bytes.data(), bytes.size(), MSG_DONTWAIT);
    if (count > 0) request_.append(bytes.data(), static_cast<std::size_t>(count));
    return count > 0 || (count < 0 && (errno == EAGAIN || errno == EINTR));
  }

  [[nodiscard]] bool write() {
    const ssize_t count = ::send(descriptor_, reply_.data() + sent_, reply_.size() - sent_,
                                 MSG_DONTWAIT | MSG_NOSIGNAL);
    if (count < 0) return errno == EAGAIN || errno == EINTR;
    sent_ += static_cast<std::size_t>(count);
    if (sent_ < reply_.size()) return true;
    reply_.clear();
    sent_ = 0;
    return true;
  }

  [[nodiscard]] StoreRequestHead head() const {
    StoreRequestHead head;
    std::memcpy(&head, request_.data(), sizeof head);
    return head;
  }

  [[nodiscard]] bool has_request() const {
    if (request_.size() < sizeof(StoreRequestHead)) return false;
    return request_.size() - sizeof(StoreRequestHead) >= head().key_bytes + head().value_bytes;
  }

  [[nodiscard]] std::string take_request(Values& values) {
    const StoreRequestHead head = this->head();
    const std::size_t value = sizeof head + head.key_bytes;
    std::string reply = answer(values, head.request, request_.substr(sizeof head, head.key_bytes),
                               request_.substr(value, head.value_bytes));
    request_.erase(0, value + head.value_bytes);
    return reply;
  }

  int descriptor_;
  std::string request_;
  std::string reply_;
  std::size_t sent_ = 0;  // bytes of reply_
};

MeetingPoint::MeetingPoint() : wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (wake_ < 0) fail_to_meet();
  thread_ = std::thread([this] { serve(); });
}

MeetingPoint::~MeetingPoint() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  ::eventfd_write(wake_, 1);
  thread_.join();
  for (const int descriptor : new_connections_) ::close(descriptor);
  ::close(wake_);
}

int MeetingPoint::connect() {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) fail_to_meet();
  {
    const std::lock_guard lock(mutex_);
    new_connections_.push_back(ends[0]);
  }
  ::eventfd_write(wake_, 1);
  return ends[1];
}

void MeetingPoint::take_new_connections(std::vector<Connection>& connections) {
  eventfd_t count = 0;
  ::eventfd_read(wake_, &count);
  const std::lock_guard lock(mutex_);
  for (const int descriptor : std::exchange(new_connections_, {}))
    connections.emplace_back(descriptor);
}

void MeetingPoint::serve() {
  std::vector<Connection> connections;
  const auto has_ended = [this] {
    const std::lock_guard lock(mutex_);
    return ended_;
  };
  while (!has_ended()) {
    std::vector<pollfd> awaited = {{wake_, POLLIN, 0}};
    for (const Connection& connection : connections) awaited.push_back(connection.awaited());
    if (::poll(awaited.data(), awaited.size(), -1) < 0) continue;
    auto event = awaited.begin();
    const bool is_woken = (event++)->revents != 0;
    std::erase_if(connections, [&](Connection& connection) {
      return (event++)->revents != 0 && !connection.proceed(values_);
    });
    if (is_woken) take_new_connections(connections);
  }
}

}  // namespace attend::distributed
