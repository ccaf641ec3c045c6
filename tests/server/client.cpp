#include "tests/server/client.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <stdexcept>

namespace attend::server::test {
namespace {

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

}  // namespace

Client::Client(uint16_t port) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  timeval limit{.tv_sec = 30, .tv_usec = 0};
  ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  void* any = &address;
  if (::connect(socket_, static_cast<sockaddr*>(any), sizeof address) != 0)
    throw std::runtime_error("cannot connect");
}

Client::~Client() {
  ::close(socket_);
}

void Client::send(const std::string& bytes) const {
  (void)::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
}

void Client::end_sending() const {
  (void)::shutdown(socket_, SHUT_WR);
}

bool Client::hears_within(std::chrono::milliseconds time) const {
  pollfd socket{.fd = socket_, .events = POLLIN, .revents = 0};
  return !received_.empty() || ::poll(&socket, 1, static_cast<int>(time.count())) > 0;
}

bool Client::fill() {
  char block[4096];
  const ssize_t bytes = ::recv(socket_, block, sizeof block, 0);
  if (bytes <= 0) return false;
  received_.append(block, static_cast<std::size_t>(bytes));
  return true;
}

Reply Client::receive() {
  std::size_t end = 0;
  while ((end = received_.find("\r\n\r\n")) == std::string::npos) {
    if (!fill()) return {};
  }
  Reply reply;
  reply.status = std::stoi(received_.substr(9, 3));
  std::size_t line = received_.find("\r\n") + 2;
  while (line < end + 2) {
    const std::size_t next = received_.find("\r\n", line);
    const std::size_t colon = received_.find(':', line);
    reply.headers[lower(received_.substr(line, colon - line))] =
        received_.substr(colon + 2, next - colon - 2);
    line = next + 2;
  }
  received_.erase(0, end + 4);
  const std::size_t length = std::stoul(reply.headers.at("content-length"));
  while (received_.size() < length && fill()) {
  }
  reply.body = received_.substr(0, length);
  received_.erase(0, length);
  return reply;
}

std::string Client::receive_until(const std::string& end) {
  while (received_.find(end) == std::string::npos && fill()) {
  }
  const std::size_t found = received_.find(end);
  const std::string text =
      received_.substr(0, found == std::string::npos ? found : found + end.size());
  received_.erase(0, text.size());
  return text;
}

std::string Client::receive_all() {
  while (fill()) {
  }
  return std::move(received_);
}

Reply Client::get(const std::string& path) {
  send(fmt::format("GET {} HTTP/1.1\r\nHost: localhost\r\n\r\n", path));
  return receive();
}

Reply Client::post(const std::string& path, const std::string& body, const std::string& headers) {
  send(fmt::format("POST {} HTTP/1.1\r\nHost: localhost\r\n{}Content-Length: {}\r\n\r\n{}", path,
                   headers, body.size(), body));
  return receive();
}

}  // namespace attend::server::test
