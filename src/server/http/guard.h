#pragma once
#include <string>
#include <vector>

#include "server/http/http.h"

namespace attend::server {

/// Options of the access check.
struct GuardOptions {
  std::vector<std::string> hosts;  ///< further allowed names of this server; "localhost" and IP
                                   ///< addresses are always allowed
  std::string token;               ///< required in requests; empty: none
};

/// Protects the server from pages of other sites in a browser on this machine. Rejects a Host with
/// an unknown name (DNS rebinding) and an Origin other than this server, ignoring case. If a token
/// is set, also rejects requests without "Authorization: Bearer TOKEN", except to open routes.
class Guard {
 public:
  explicit Guard(GuardOptions options);

  /// `open`: true if the route needs no token. Throws ApiError 403 or 401.
  void check(const Request& request, bool open) const;

 private:
  void check_host(const Request& request) const;
  void check_origin(const Request& request) const;
  void check_token(const Request& request) const;

  GuardOptions options_;
};

}  // namespace attend::server
