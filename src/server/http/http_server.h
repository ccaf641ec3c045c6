#pragma once
#include <cstdint>
#include <memory>
#include <string>

#include "server/http/http.h"
#include "server/http/http_limits.h"

namespace attend::server {

/// HTTP/1.1 on one address: reads whole requests, passes each to a handler and writes its answer. A
/// client may send its next request on the same connection after the answer. Slow senders, too long
/// headers or bodies, and invalid requests are answered here (408, 431, 413, 400) and their
/// connections closed; idle connections are closed without an answer. A client that shuts down its
/// sending side before the answer (`nc -N`) looks like one that has disconnected and gets none,
/// because searches for disconnected clients must stop. HEAD is answered like GET without the body;
/// "Expect: 100-continue" is supported.
class HttpServer {
 public:
  /// Starts to listen; `port` 0 selects a free one. Throws UsageError with the address on failure.
  HttpServer(const std::string& host, uint16_t port, const HttpLimits& limits,
             RequestHandler handler);
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  [[nodiscard]] uint16_t port() const;
  /// Serves on `threads` threads. Returns after stop(), when pending requests are answered.
  void run(int threads);
  /// Accepts no further connections or requests. Thread-safe.
  void stop();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace attend::server
