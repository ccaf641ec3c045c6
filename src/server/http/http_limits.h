#pragma once
#include <chrono>
#include <cstddef>

namespace attend::server {

/// Limits on the resources of a client.
struct HttpLimits {
  std::size_t body = std::size_t{1} << 20;  ///< bytes
  std::size_t header = std::size_t{1} << 14;
  std::size_t connections = 1024;               ///< further connections are closed at once
  std::chrono::milliseconds receive{10'000};    ///< for a whole request, from its first byte
  std::chrono::milliseconds idle{60'000};       ///< between requests
  std::chrono::milliseconds send{30'000};       ///< for a whole response, or each event of a stream
  std::chrono::milliseconds client_check{100};  ///< between checks for a disconnected client
};

}  // namespace attend::server
