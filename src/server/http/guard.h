#pragma once
#include <string>
#include <vector>

#include "server/http/http.h"

namespace attend::server {

/// Who may ask.
struct GuardOptions {
  std::vector<std::string> hosts;  ///< names of this server beside "localhost" and IP addresses
  std::string token;               ///< that requests must carry; empty: none
};

/// Keeps pages of other sites, which a browser on this machine may show, from using the server: a
/// Host that is a foreign name (DNS rebinding) and an Origin that is not this server are refused,
/// upper and lower case being the same. With a token, so is what comes without "Authorization:
/// Bearer TOKEN", but for routes that are open to all.
class Guard {
 public:
  explicit Guard(GuardOptions options);

  /// `open`: whether no token is needed. Throws ApiError 403 or 401.
  void check(const Request& request, bool open) const;

 private:
  void check_host(const Request& request) const;
  void check_origin(const Request& request) const;
  void check_token(const Request& request) const;

  GuardOptions options_;
};

}  // namespace attend::server
