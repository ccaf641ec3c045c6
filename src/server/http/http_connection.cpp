#include "server/http/http_connection.h"

#include <fmt/format.h>

#include <boost/asio/dispatch.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/error.hpp>
#include <boost/beast/core/string.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/fields.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/write.hpp>
#include <cctype>
#include <iterator>
#include <utility>

#include "server/http/api_error.h"
#include "server/http/url.h"

namespace attend::server {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using asio::ip::tcp;

constexpr std::chrono::milliseconds kDrain{1000};

std::string text_of(beast::string_view text) {
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

/// The error of a header that two HTTP implementations could interpret differently (RFC 9112, 3.2
/// and 6.3; RFC 9110, 5.3). Empty if there is none. For example, Beast ignores an unknown
/// Transfer-Encoding and would take the body for the next request.
std::optional<ApiError> ambiguity_of(const http::request_header<http::fields>& header) {
  for (const auto name : {http::field::host, http::field::origin, http::field::authorization,
                          http::field::content_type, http::field::transfer_encoding}) {
    const auto [first, last] = header.equal_range(name);
    if (std::distance(first, last) > 1)
      return bad_request(
          fmt::format("the header {} appears more than once", text_of(http::to_string(name))));
  }
  const auto coding = header.find(http::field::transfer_encoding);
  if (coding == header.end()) return std::nullopt;
  if (header.version() < 11) return bad_request("HTTP/1.0 does not support Transfer-Encoding");
  if (!beast::iequals(coding->value(), "chunked"))
    return bad_request("the only Transfer-Encoding that this server accepts is \"chunked\"");
  return std::nullopt;
}

/// Removes empty lines before a request (RFC 9112, 2.2). Returns true if the buffer then holds the
/// beginning of a request, not only that of another empty line.
bool holds_a_beginning(beast::flat_buffer& buffer) {
  const auto text = [&] {
    const auto bytes = buffer.cdata();
    return std::string_view(static_cast<const char*>(bytes.data()), bytes.size());
  };
  while (text().starts_with("\r\n")) buffer.consume(2);
  return !text().empty() && text() != "\r";
}

/// The error to report to the client; empty if it has disconnected.
std::optional<ApiError> receiving_error(const boost::system::error_code& error) {
  if (error == http::error::body_limit)
    return ApiError(413, "too_large", "the body exceeds the server's limit");
  if (error == http::error::header_limit || error == http::error::buffer_overflow)
    return ApiError(431, "header_too_large", "the header exceeds the server's limit");
  if (error == http::error::end_of_stream || error == http::error::partial_message ||
      error.category() != http::make_error_code(http::error::bad_method).category())
    return std::nullopt;
  return ApiError(400, "bad_request", "not an HTTP request: " + error.message());
}

}  // namespace

/// The exchange that a handler uses to answer.
class HttpConnection::Answer final : public Exchange {
 public:
  explicit Answer(std::shared_ptr<HttpConnection> connection)
      : connection_(std::move(connection)) {}

  void respond(Response response) override {
    if (const auto connection = connection_.lock()) connection->respond(std::move(response));
  }
  void send_event(std::string_view name, std::string_view data) override {
    if (const auto connection = connection_.lock())
      connection->send_event(fmt::format("event: {}\ndata: {}\n\n", name, data));
  }
  void finish_events(int /*status*/) override {
    if (const auto connection = connection_.lock()) connection->finish_events();
  }
  [[nodiscard]] bool is_abandoned() const override { return abandoned_ || connection_.expired(); }
  void abandon() { abandoned_ = true; }

 private:
  std::weak_ptr<HttpConnection> connection_;
  std::atomic<bool> abandoned_ = false;
};

HttpConnection::HttpConnection(HttpService& service, tcp::socket socket)
    : service_(service), stream_(std::move(socket)), watch_(stream_.get_executor()) {}

HttpConnection::~HttpConnection() {
  service_.forget(own_place_);
}

void HttpConnection::start() {
  own_place_ = weak_from_this();
  asio::dispatch(stream_.get_executor(), [self = shared_from_this()] { self->await_request(); });
}

void HttpConnection::close_if_idle() {
  asio::post(stream_.get_executor(), [self = shared_from_this()] {
    if (self->idle_) self->close();
  });
}

void HttpConnection::await_request() {
  if (service_.stopping) return close();
  idle_ = true;
  stream_.expires_after(service_.limits.idle);
  await_beginning();
}

// Empty lines do not extend the idle time.
void HttpConnection::await_beginning() {
  if (holds_a_beginning(buffer_)) return read_header();
  stream_.async_read_some(buffer_.prepare(4096),
                          [self = shared_from_this()](const ErrorCode& error, std::size_t bytes) {
                            if (error) return self->close();
                            self->buffer_.commit(bytes);
                            self->await_beginning();
                          });
}

void HttpConnection::read_header() {
  idle_ = false;
  receiving_ = true;
  late_ = false;
  head_ = false;
  version_ = 11;
  parser_.emplace();
  parser_->header_limit(static_cast<std::uint32_t>(service_.limits.header));
  parser_->body_limit(service_.limits.body);
  stream_.expires_never();
  watch_sender(service_.limits.receive);
  http::async_read_header(
      stream_, buffer_, *parser_,
      [self = shared_from_this()](const ErrorCode& error, std::size_t) { self->on_header(error); });
}

// Uses a timer: the stream's own limit would close the socket before the error could be sent.
void HttpConnection::watch_sender(std::chrono::milliseconds time) {
  watch_.expires_after(time);
  watch_.async_wait([self = shared_from_this()](const ErrorCode& error) {
    if (error || !self->receiving_) return;
    self->late_ = true;
    self->stream_.cancel();
    self->watch_sender(self->service_.limits.client_check);  // again, in case nothing was pending
  });
}

void HttpConnection::on_header(const ErrorCode& error) {
  if (error) return refuse(error);
  const auto& header = parser_->get();
  head_ = header.method() == http::verb::head;
  version_ = header.version() < 11 ? 10 : 11;
  if (const auto bad = ambiguity_of(header)) return refuse(*bad);
  if (parser_->is_done()) return on_request();
  if (beast::iequals(header[http::field::expect], "100-continue") && version_ == 11)
    return tell_to_continue();
  read_body();
}

void HttpConnection::tell_to_continue() {
  static constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
  asio::async_write(stream_, asio::buffer(kContinue),
                    [self = shared_from_this()](const ErrorCode& error, std::size_t) {
                      if (error) return self->close();
                      self->read_body();
                    });
}

void HttpConnection::read_body() {
  http::async_read(stream_, buffer_, *parser_,
                   [self = shared_from_this()](const ErrorCode& error, std::size_t) {
                     if (error) return self->refuse(error);
                     self->on_request();
                   });
}

void HttpConnection::refuse(const ErrorCode& error) {
  const auto known = late_ ? ApiError(408, "timeout", "the request was not complete in time")
                           : receiving_error(error);
  if (!known) return close();
  refuse(*known);
}

void HttpConnection::refuse(const ApiError& error) {
  receiving_ = false;
  write(error_response(error), /*keep=*/false);
}

void HttpConnection::on_request() {
  receiving_ = false;
  keep_ = parser_->get().keep_alive() && !service_.stopping;
  Request request;
  try {
    request = request_of(parser_->release());
  } catch (const ApiError& bad) {
    return refuse(bad);
  }
  ErrorCode unknown;
  request.client = stream_.socket().remote_endpoint(unknown).address().to_string();
  const auto answer = answer_ = std::make_shared<Answer>(shared_from_this());
  watch_client();
  service_.handler(std::move(request), answer);
}

// Polls for a disconnected client, because the socket of a client that has sent its next request
// early is always readable. The timer keeps the connection alive until the request is answered.
void HttpConnection::watch_client() {
  watch_.expires_after(service_.limits.client_check);
  watch_.async_wait([self = shared_from_this()](const ErrorCode& error) {
    if (error || !self->answer_) return;
    if (self->has_left()) return self->close();
    self->watch_client();
  });
}

bool HttpConnection::has_left() {
  char byte = 0;
  ErrorCode failed;
  const std::size_t bytes =
      stream_.socket().receive(asio::buffer(&byte, 1), tcp::socket::message_peek, failed);
  return bytes == 0 && failed != asio::error::would_block;
}

void HttpConnection::respond(Response response) {
  asio::post(stream_.get_executor(),
             [self = shared_from_this(), response = std::move(response)]() mutable {
               if (self->answer_) self->write(std::move(response), self->keep_);
             });
}

void HttpConnection::write(Response response, bool keep) {
  answer_.reset();
  watch_.cancel();
  keep = keep && !service_.stopping;
  response_.emplace(static_cast<http::status>(response.status), version_);
  response_->set(http::field::content_type, response.type);
  response_->set("X-Content-Type-Options", "nosniff");
  response_->set(http::field::cache_control, "no-store");
  for (const auto& [name, value] : response.headers) response_->set(name, value);
  response_->content_length(response.body.size());
  if (!head_) response_->body() = std::move(response.body);
  response_->keep_alive(keep);
  stream_.expires_after(service_.limits.send);
  http::async_write(stream_, *response_,
                    [self = shared_from_this(), keep](const ErrorCode& error, std::size_t) {
                      if (error) return self->close();
                      if (!keep) return self->drain();
                      self->await_request();
                    });
}

void HttpConnection::send_event(std::string frame) {
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

void HttpConnection::finish_events() {
  asio::post(stream_.get_executor(), [self = shared_from_this()] {
    self->events_done_ = true;
    if (!self->writing_) self->close();
  });
}

void HttpConnection::write_next_frame() {
  writing_ = true;
  stream_.expires_after(service_.limits.send);
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

// Closing while the client still sends would reset the connection, and the client would lose the
// answer. Discards input for a moment until the client closes.
void HttpConnection::drain() {
  idle_ = true;
  ErrorCode ignored;
  stream_.socket().shutdown(tcp::socket::shutdown_send, ignored);
  stream_.expires_after(kDrain);
  discard();
}

void HttpConnection::discard() {
  buffer_.clear();
  stream_.async_read_some(buffer_.prepare(buffer_.max_size()),
                          [self = shared_from_this()](const ErrorCode& error, std::size_t) {
                            if (error) return self->close();
                            self->discard();
                          });
}

void HttpConnection::close() {
  if (answer_) answer_->abandon();
  answer_.reset();
  receiving_ = false;
  watch_.cancel();
  ErrorCode ignored;
  stream_.socket().shutdown(tcp::socket::shutdown_both, ignored);
  stream_.socket().close(ignored);
  service_.forget(own_place_);
}

}  // namespace attend::server
