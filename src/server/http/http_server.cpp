#include "server/http/http_server.h"

#include <fmt/format.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <mutex>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/option_name.h"
#include "server/http/http_connection.h"

namespace attend::server {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using ErrorCode = boost::system::error_code;

}  // namespace

/// The listening socket and the connections.
class HttpServer::Impl {
 public:
  Impl(const std::string& host, uint16_t port, const HttpLimits& limits, RequestHandler handler);

  [[nodiscard]] uint16_t port() const { return acceptor_.local_endpoint().port(); }
  void run(int threads);
  void stop();

 private:
  void accept();
  void on_accept(const ErrorCode& error, tcp::socket socket);
  void add(const std::shared_ptr<HttpConnection>& connection);
  void remove(const std::weak_ptr<HttpConnection>& connection);
  [[nodiscard]] std::vector<std::shared_ptr<HttpConnection>> open_connections();

  HttpService service_;
  std::mutex mutex_;
  std::set<std::weak_ptr<HttpConnection>, std::owner_less<>> connections_;
  asio::io_context context_;
  asio::strand<asio::io_context::executor_type> strand_;  // for the acceptor and the timer
  tcp::acceptor acceptor_;
  asio::steady_timer pause_;
};

HttpServer::Impl::Impl(const std::string& host, uint16_t port, const HttpLimits& limits,
                       RequestHandler handler)
    : service_{.limits = limits,
               .handler = std::move(handler),
               .forget = [this](const auto& connection) { remove(connection); }},
      strand_(asio::make_strand(context_)),
      acceptor_(strand_),
      pause_(strand_) {
  ErrorCode error;
  const auto address = asio::ip::make_address(host == "localhost" ? "127.0.0.1" : host, error);
  const tcp::endpoint endpoint(address, port);
  if (!error) acceptor_.open(endpoint.protocol(), error);
  if (!error) acceptor_.set_option(asio::socket_base::reuse_address(true), error);
  if (!error) acceptor_.bind(endpoint, error);
  if (!error) acceptor_.listen(asio::socket_base::max_listen_connections, error);
  if (!error) return;
  throw UsageError(
      fmt::format("{} {}:{}: {}; give an IP address of this machine and a port that "
                  "no other program uses",
                  option_name("listen"), host, port, error.message()));
}

void HttpServer::Impl::run(int threads) {
  accept();
  std::vector<std::thread> others;
  for (int i = 1; i < threads; ++i) others.emplace_back([this] { context_.run(); });
  context_.run();
  for (std::thread& thread : others) thread.join();
}

void HttpServer::Impl::stop() {
  service_.stopping = true;
  asio::post(strand_, [this] {
    ErrorCode ignored;
    acceptor_.close(ignored);
    pause_.cancel();
    for (const auto& connection : open_connections()) connection->close_if_idle();
  });
}

// Returns owners, because destroying the last owner of a connection would take the lock again.
std::vector<std::shared_ptr<HttpConnection>> HttpServer::Impl::open_connections() {
  std::vector<std::shared_ptr<HttpConnection>> open;
  const std::lock_guard lock(mutex_);
  for (const auto& weak : connections_) {
    if (auto connection = weak.lock()) open.push_back(std::move(connection));
  }
  return open;
}

void HttpServer::Impl::accept() {
  acceptor_.async_accept(
      asio::make_strand(context_),
      [this](const ErrorCode& error, tcp::socket socket) { on_accept(error, std::move(socket)); });
}

void HttpServer::Impl::on_accept(const ErrorCode& error, tcp::socket socket) {
  if (!acceptor_.is_open()) return;
  if (!error) {
    ErrorCode ignored;
    socket.set_option(tcp::no_delay(true), ignored);
    socket.non_blocking(true, ignored);
    add(std::make_shared<HttpConnection>(service_, std::move(socket)));
    return accept();
  }
  // Most likely too many files are open. Some may be closed in a moment, so try again then.
  pause_.expires_after(std::chrono::milliseconds(100));
  pause_.async_wait([this](const ErrorCode& stopped) {
    if (!stopped && acceptor_.is_open()) accept();
  });
}

void HttpServer::Impl::add(const std::shared_ptr<HttpConnection>& connection) {
  {
    const std::lock_guard lock(mutex_);
    if (connections_.size() >= service_.limits.connections)
      return;  // the connection closes as it goes out of scope
    connections_.insert(connection);
  }
  connection->start();
}

void HttpServer::Impl::remove(const std::weak_ptr<HttpConnection>& connection) {
  const std::lock_guard lock(mutex_);
  connections_.erase(connection);
}

HttpServer::HttpServer(const std::string& host, uint16_t port, const HttpLimits& limits,
                       RequestHandler handler)
    : impl_(std::make_unique<Impl>(host, port, limits, std::move(handler))) {}
HttpServer::~HttpServer() = default;

uint16_t HttpServer::port() const {
  return impl_->port();
}
void HttpServer::run(int threads) {
  impl_->run(threads);
}
void HttpServer::stop() {
  impl_->stop();
}

}  // namespace attend::server
