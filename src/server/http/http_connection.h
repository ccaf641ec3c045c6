#pragma once
#include <atomic>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "server/http/api_error.h"
#include "server/http/http.h"
#include "server/http/http_limits.h"

namespace attend::server {

class HttpConnection;

/// State shared by the connections of a server; must outlive them.
struct HttpService {
  HttpLimits limits;
  RequestHandler handler;
  std::atomic<bool> stopping = false;  ///< no further request is accepted
  /// Called at least once when a connection has closed.
  std::function<void(const std::weak_ptr<HttpConnection>&)> forget;
};

/// A client's connection. Each request is answered before the next is read. A request that is too
/// slow, too large, invalid or ambiguous is answered with 408, 413, 431 or 400, and the connection
/// is closed. Empty lines before a request are ignored. Thread-safe: the work is done on the strand
/// of the socket. Pending operations keep the connection alive.
class HttpConnection : public std::enable_shared_from_this<HttpConnection> {
 public:
  HttpConnection(HttpService& service, boost::asio::ip::tcp::socket socket);
  ~HttpConnection();
  HttpConnection(const HttpConnection&) = delete;
  HttpConnection& operator=(const HttpConnection&) = delete;

  void start();
  void close_if_idle();

 private:
  using ErrorCode = boost::system::error_code;
  class Answer;

  // Called while a request is being read.
  void await_request();
  void await_beginning();
  void read_header();
  void on_header(const ErrorCode& error);
  void tell_to_continue();
  void read_body();
  void on_request();
  void watch_sender(std::chrono::milliseconds time);
  void refuse(const ErrorCode& error);
  void refuse(const ApiError& error);

  // Called while a request is being answered.
  void watch_client();
  [[nodiscard]] bool has_left();
  void respond(Response response);
  void send_event(std::string frame);
  void finish_events();

  // Writing.
  void write(Response response, bool keep);
  void write_next_frame();
  void drain();
  void discard();
  void close();

  HttpService& service_;
  std::weak_ptr<HttpConnection> own_place_;  // key in the server's list of connections
  boost::beast::tcp_stream stream_;
  boost::asio::steady_timer watch_;
  boost::beast::flat_buffer buffer_{std::size_t{1} << 16};
  std::optional<boost::beast::http::request_parser<boost::beast::http::string_body>> parser_;
  std::optional<boost::beast::http::response<boost::beast::http::string_body>> response_;
  std::shared_ptr<Answer> answer_;  // to the current request
  bool idle_ = true;                // between requests
  bool receiving_ = false;          // reading a request
  bool late_ = false;               // the request did not arrive in time
  bool keep_ = false;               // the client keeps the connection open
  bool head_ = false;               // the method is HEAD
  unsigned version_ = 11;           // HTTP version of the client
  std::deque<std::string> frames_;  // events to write, the first being written
  bool writing_ = false;            // writing a frame
  bool events_begun_ = false;
  bool events_done_ = false;
};

}  // namespace attend::server
