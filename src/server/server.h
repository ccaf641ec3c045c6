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

/// Options of `attend serve`.
struct ServerOptions {
  std::string host = "127.0.0.1";
  uint16_t port = 8080;  ///< 0: choose a free port
  std::vector<std::string> host_names = {};
  std::filesystem::path runs = {};
  std::string token = {};
  bool shows_training_text = false;  ///< allow requests to read training sentences
  BatchOptions batch = {};
  HttpLimits limits = {};
  uint64_t seed = 1;  ///< for sampling requests without a seed
};

/// Serves translations by the given models and the curves of training runs.
class Server {
 public:
  /// Starts to listen. Keeps a reference to the models. Throws UsageError if it cannot listen.
  Server(ServedModels& models, const ServerOptions& options);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  [[nodiscard]] uint16_t port() const;
  /// Returns after stop(), when all requests received before it are answered.
  void run();
  /// Thread-safe.
  void stop();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace attend::server
