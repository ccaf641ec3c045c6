#pragma once
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace attend::server {

/// A complete request. Header names are in lower case.
struct Request {
  std::string method;
  std::string path;                          ///< decoded, without the query
  std::map<std::string, std::string> query;  ///< decoded
  std::map<std::string, std::string> headers;
  std::string body;
  std::string client = {};  ///< the IP address that it came from

  /// The value of a header; empty if the header is missing.
  [[nodiscard]] std::string header(const std::string& name) const {
    const auto found = headers.find(name);
    return found == headers.end() ? "" : found->second;
  }
};

struct Response {
  int status = 200;
  std::string type = "application/json";
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers = {};  ///< further headers to send
};

/// Answers a request, with one respond() or with any number of send_event() and one
/// finish_events(). Thread-safe. The calls have no effect after the client has disconnected.
class Exchange {
 public:
  virtual ~Exchange() = default;
  virtual void respond(Response response) = 0;
  /// Sends a server-sent event (HTML Living Standard, 9.2). `data` has no line feed.
  virtual void send_event(std::string_view name, std::string_view data) = 0;
  /// `status`: the status that a normal response would have had, for the statistics only.
  virtual void finish_events(int status) = 0;
  /// True if the client has closed the connection, or its sending side, which looks the same.
  [[nodiscard]] virtual bool is_abandoned() const = 0;
};

using SharedExchange = std::shared_ptr<Exchange>;

/// Called by the threads that read requests. Must not throw and must return quickly; it may answer
/// later.
using RequestHandler = std::function<void(Request, SharedExchange)>;

}  // namespace attend::server
