#pragma once
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "server/http.h"

namespace attend::server {

/// What a client may use up.
struct HttpLimits {
  std::size_t body = std::size_t{1} << 20;  ///< bytes
  std::size_t header = std::size_t{1} << 14;
  std::size_t connections = 1024;             ///< further ones are closed at once
  std::chrono::milliseconds receive{10'000};  ///< for a whole request, from its first byte
  std::chrono::milliseconds idle{60'000};     ///< between requests
  std::chrono::milliseconds send{30'000};     ///< for a whole response
};

/// HTTP/1.1 on one address: reads whole requests, hands each to a handler, and writes what it
/// answers. Slow senders, long headers and bodies, and requests that are none are answered here
/// (408, 431, 413, 400) and their connections closed; a client may send its next request on the
/// same connection when it has the answer.
class HttpServer {
 public:
  /// Called by the threads of run(). Must not throw and not take long: it may answer later.
  using Handler = std::function<void(Request, SharedExchange)>;

  /// Listens. `port` 0: one that is free. Throws UsageError, naming the address, if it cannot.
  HttpServer(const std::string& host, uint16_t port, const HttpLimits& limits, Handler handler);
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  [[nodiscard]] uint16_t port() const;
  /// Serves on that many threads until stop() was called and what was begun is answered.
  void run(int threads);
  /// Takes no further connection and no further request. For any thread.
  void stop();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace attend::server
