#include "server/http_server.h"

#include <fmt/format.h>

#include <atomic>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <deque>
#include <mutex>
#include <optional>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/option_name.h"
#include "server/api_error.h"
#include "server/url.h"

namespace attend::server {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using asio::ip::tcp;
using ErrorCode = boost::system::error_code;

std::string text_of(boost::beast::string_view text) {
  return {text.data(), text.size()};
}

Request request_of(http::request<http::string_body>&& message) {
  Request request;
  request.method = text_of(message.method_string());
  const Target target = parse_target(text_of(message.target()));
  request.path = target.path;
  request.query = target.query;
  for (const auto& field : message) {
    std::string name = text_of(field.name_string());
    for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    request.headers.emplace(std::move(name), text_of(field.value()));
  }
  request.body = std::move(message.body());
  return request;
}

/// What is wrong with what came, for the client; nothing if there is nobody to tell.
std::optional<ApiError> receiving_error(const ErrorCode& error) {
  if (error == http::error::body_limit)
    return ApiError(413, "too_large", "the body is larger than this server takes");
  if (error == http::error::header_limit || error == http::error::buffer_overflow)
    return ApiError(431, "header_too_large", "the header is larger than this server takes");
  if (error == beast::error::timeout)
    return ApiError(408, "timeout", "the request did not come whole in time");
  if (error == http::error::end_of_stream || error == http::error::partial_message ||
      error.category() != http::make_error_code(http::error::bad_method).category())
    return std::nullopt;
  return ApiError(400, "bad_request", "this is no HTTP request: " + error.message());
}

}  // namespace

/// The listening socket and the connections.
class HttpServer::Impl {
 public:
  Impl(const std::string& host, uint16_t port, const HttpLimits& limits, Handler handler);

  [[nodiscard]] uint16_t port() const { return acceptor_.local_endpoint().port(); }
  void run(int threads);
  void stop();

 private:
  class Connection;
  class Answer;

  void accept();
  void on_accept(const ErrorCode& error, tcp::socket socket);
  void add(const std::shared_ptr<Connection>& connection);
  void remove(const std::weak_ptr<Connection>& connection);

  HttpLimits limits_;
  Handler handler_;
  asio::io_context context_;
  asio::strand<asio::io_context::executor_type> strand_;  // of what follows
  tcp::acceptor acceptor_;
  asio::steady_timer pause_;
  std::atomic<bool> stopping_ = false;
  std::mutex mutex_;
  std::set<std::weak_ptr<Connection>, std::owner_less<>> connections_;
};

/// A connection; everything on its strand.
class HttpServer::Impl::Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(Impl& server, tcp::socket socket)
      : server_(server), stream_(std::move(socket)), watch_(stream_.get_executor()) {}
  ~Connection() { server_.remove(own_place_); }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void start() {
    own_place_ = weak_from_this();
    asio::dispatch(stream_.get_executor(), [self = shared_from_this()] { self->await_request(); });
  }
  void close_if_idle() {
    asio::post(stream_.get_executor(), [self = shared_from_this()] {
      if (self->idle_) self->close();
    });
  }

  void respond(Response response);
  void send_event(std::string frame);
  void finish_events();

 private:
  void await_request();
  void read_request();
  void on_request(const ErrorCode& error);
  void watch_client();
  [[nodiscard]] bool has_left();
  void write(Response response, bool keep);
  void write_next_frame();
  void close();

  Impl& server_;
  std::weak_ptr<Connection> own_place_;  // in the server's list
  beast::tcp_stream stream_;
  asio::steady_timer watch_;
  beast::flat_buffer buffer_{std::size_t{1} << 16};
  std::optional<http::request_parser<http::string_body>> parser_;
  std::optional<http::response<http::string_body>> response_;
  std::shared_ptr<Answer> answer_;       // to the request at hand
  std::shared_ptr<Connection> pending_;  // itself, until the request is answered
  bool idle_ = true;                     // between requests
  bool keep_ = false;                    // whether the client wants to go on
  std::deque<std::string> frames_;       // of events, the first being written
  bool writing_ = false;                 // a frame
  bool events_begun_ = false;
  bool events_done_ = false;
};

class HttpServer::Impl::Answer final : public Exchange {
 public:
  explicit Answer(std::shared_ptr<Connection> connection) : connection_(std::move(connection)) {}

  void respond(Response response) override {
    if (const auto connection = connection_.lock()) connection->respond(std::move(response));
  }
  void send_event(std::string_view name, std::string_view data) override {
    if (const auto connection = connection_.lock())
      connection->send_event(fmt::format("event: {}\ndata: {}\n\n", name, data));
  }
  void finish_events() override {
    if (const auto connection = connection_.lock()) connection->finish_events();
  }
  [[nodiscard]] bool is_abandoned() const override { return abandoned_ || connection_.expired(); }
  void abandon() { abandoned_ = true; }

 private:
  std::weak_ptr<Connection> connection_;
  std::atomic<bool> abandoned_ = false;
};

void HttpServer::Impl::Connection::await_request() {
  if (server_.stopping_) return close();
  idle_ = true;
  if (buffer_.size() > 0) return read_request();  // it came with the one before
  stream_.expires_after(server_.limits_.idle);
  stream_.async_read_some(buffer_.prepare(4096),
                          [self = shared_from_this()](const ErrorCode& error, std::size_t bytes) {
                            if (error) return self->close();
                            self->buffer_.commit(bytes);
                            self->read_request();
                          });
}

void HttpServer::Impl::Connection::read_request() {
  idle_ = false;
  parser_.emplace();
  parser_->header_limit(static_cast<std::uint32_t>(server_.limits_.header));
  parser_->body_limit(server_.limits_.body);
  stream_.expires_after(server_.limits_.receive);
  http::async_read(stream_, buffer_, *parser_,
                   [self = shared_from_this()](const ErrorCode& error, std::size_t /*bytes*/) {
                     self->on_request(error);
                   });
}

void HttpServer::Impl::Connection::on_request(const ErrorCode& error) {
  if (error) {
    const auto known = receiving_error(error);
    if (!known) return close();
    return write(error_response(*known), /*keep=*/false);
  }
  keep_ = parser_->get().keep_alive() && !server_.stopping_;
  answer_ = std::make_shared<Answer>(shared_from_this());
  Request request;
  try {
    request = request_of(parser_->release());
  } catch (const ApiError& bad) {
    return write(error_response(bad), /*keep=*/false);
  }
  stream_.expires_never();
  pending_ = shared_from_this();
  watch_client();
  server_.handler_(std::move(request), answer_);
}

// Looked at now and then, since a client that sends its next request early makes the socket
// readable all the time. The timer keeps run() going until the request is answered.
void HttpServer::Impl::Connection::watch_client() {
  constexpr std::chrono::milliseconds kBetweenLooks{100};
  watch_.expires_after(kBetweenLooks);
  watch_.async_wait([self = shared_from_this()](const ErrorCode& error) {
    if (error || !self->answer_) return;
    if (self->has_left()) return self->close();
    self->watch_client();
  });
}

bool HttpServer::Impl::Connection::has_left() {
  char byte = 0;
  ErrorCode failed;
  const std::size_t bytes =
      stream_.socket().receive(asio::buffer(&byte, 1), tcp::socket::message_peek, failed);
  return bytes == 0 && failed != asio::error::would_block;
}

void HttpServer::Impl::Connection::respond(Response response) {
  asio::post(stream_.get_executor(),
             [self = shared_from_this(), response = std::move(response)]() mutable {
               if (self->answer_) self->write(std::move(response), self->keep_);
             });
}

void HttpServer::Impl::Connection::write(Response response, bool keep) {
  answer_.reset();
  pending_.reset();  // the caller holds it, too
  keep = keep && !server_.stopping_;
  watch_.cancel();
  response_.emplace(static_cast<http::status>(response.status), 11);
  response_->set(http::field::content_type, response.type);
  response_->set("X-Content-Type-Options", "nosniff");
  response_->set(http::field::cache_control, "no-store");
  for (const auto& [name, value] : response.headers) response_->set(name, value);
  response_->body() = std::move(response.body);
  response_->keep_alive(keep);
  response_->prepare_payload();
  stream_.expires_after(server_.limits_.send);
  http::async_write(stream_, *response_,
                    [self = shared_from_this(), keep](const ErrorCode& error, std::size_t) {
                      if (error || !keep) return self->close();
                      self->await_request();
                    });
}

void HttpServer::Impl::Connection::send_event(std::string frame) {
  asio::post(stream_.get_executor(),
             [self = shared_from_this(), frame = std::move(frame)]() mutable {
               if (!self->answer_ || self->events_done_) return;
               if (!self->events_begun_) {
                 self->events_begun_ = true;
                 self->frames_.emplace_back(
                     "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
                     "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n"
                     "Connection: close\r\n\r\n");
               }
               self->frames_.push_back(std::move(frame));
               if (!self->writing_) self->write_next_frame();
             });
}

void HttpServer::Impl::Connection::finish_events() {
  asio::post(stream_.get_executor(), [self = shared_from_this()] {
    self->events_done_ = true;
    if (!self->writing_) self->close();
  });
}

void HttpServer::Impl::Connection::write_next_frame() {
  writing_ = true;
  stream_.expires_after(server_.limits_.send);
  asio::async_write(stream_, asio::buffer(frames_.front()),
                    [self = shared_from_this()](const ErrorCode& error, std::size_t) {
                      if (error) return self->close();
                      self->frames_.pop_front();
                      if (!self->frames_.empty()) return self->write_next_frame();
                      self->writing_ = false;
                      self->stream_.expires_never();
                      if (self->events_done_) self->close();
                    });
}

void HttpServer::Impl::Connection::close() {
  if (answer_) answer_->abandon();
  answer_.reset();
  const auto self = std::exchange(pending_, nullptr);  // until the end of this function
  watch_.cancel();
  ErrorCode ignored;
  stream_.socket().shutdown(tcp::socket::shutdown_both, ignored);
  stream_.socket().close(ignored);
  server_.remove(own_place_);
}

HttpServer::Impl::Impl(const std::string& host, uint16_t port, const HttpLimits& limits,
                       Handler handler)
    : limits_(limits),
      handler_(std::move(handler)),
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
                  "no other program has",
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
  stopping_ = true;
  asio::post(strand_, [this] {
    ErrorCode ignored;
    acceptor_.close(ignored);
    pause_.cancel();
    const std::lock_guard lock(mutex_);
    for (const auto& weak : connections_) {
      if (const auto connection = weak.lock()) connection->close_if_idle();
    }
  });
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
    add(std::make_shared<Connection>(*this, std::move(socket)));
    return accept();
  }
  // Too many open files, most likely: some may be closed in a moment.
  pause_.expires_after(std::chrono::milliseconds(100));
  pause_.async_wait([this](const ErrorCode& stopped) {
    if (!stopped && acceptor_.is_open()) accept();
  });
}

void HttpServer::Impl::add(const std::shared_ptr<Connection>& connection) {
  {
    const std::lock_guard lock(mutex_);
    if (connections_.size() >= limits_.connections) return;  // it closes as it goes out of scope
    connections_.insert(connection);
  }
  connection->start();
}

void HttpServer::Impl::remove(const std::weak_ptr<Connection>& connection) {
  const std::lock_guard lock(mutex_);
  connections_.erase(connection);
}

HttpServer::HttpServer(const std::string& host, uint16_t port, const HttpLimits& limits,
                       Handler handler)
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
