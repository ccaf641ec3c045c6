#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "server/http/http_server.h"
#include "server/http/router.h"
#include "server/search/search_queue.h"
#include "server/search/served_model.h"

namespace attend::server {

/// What `attend serve` is asked for.
struct ServerOptions {
  std::string host = "127.0.0.1";
  uint16_t port = 8080;  ///< 0: one that is free
  std::vector<std::string> host_names = {};
  std::filesystem::path runs = {};
  std::string token = {};
  bool shows_training_text = false;  ///< whether requests may read sentences of it
  BatchOptions batch = {};
  HttpLimits limits = {};
  uint64_t seed = 1;  ///< of samples whose request tells none
};

/// Answers requests for translations by the given models, and shows runs.
class Server {
 public:
  /// Listens from now on. Borrows the models. Throws UsageError if it cannot listen.
  Server(ServedModels& models, const ServerOptions& options);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  [[nodiscard]] uint16_t port() const;
  /// Until stop() was called and what had begun is answered.
  void run();
  /// For any thread.
  void stop();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace attend::server
