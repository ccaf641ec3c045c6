#pragma once
#include <cstdint>
#include <memory>
#include <string>

#include "server/http/http.h"
#include "server/http/http_limits.h"

namespace attend::server {

/// HTTP/1.1 on one address: reads whole requests, hands each to a handler, and writes what it
/// answers. Slow senders, long headers and bodies, and requests that are none are answered here
/// (408, 431, 413, 400) and their connections closed, as those of clients that send nothing for
/// long are without an answer; a client may send its next request on the same connection when it
/// has the answer. One that ends its sending before that (`nc -N`) cannot be told from one that has
/// left, and gets none: a search that nobody waits for must not go on. HEAD is answered like GET,
/// without the body; "Expect: 100-continue" is heeded.
class HttpServer {
 public:
  /// Listens. `port` 0: one that is free. Throws UsageError, naming the address, if it cannot.
  HttpServer(const std::string& host, uint16_t port, const HttpLimits& limits,
             RequestHandler handler);
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
