#pragma once
#include <map>
#include <string>
#include <string_view>

namespace attend::server {

/// A request's target, decoded.
struct Target {
  std::string path;
  std::map<std::string, std::string> query;
};

/// "/a%20b?c=d" (RFC 3986, 3.3 and 3.4). Throws ApiError for a target without a leading slash and
/// for wrong percent signs.
[[nodiscard]] Target parse_target(std::string_view target);

/// "a=b&c=d", as forms are sent (application/x-www-form-urlencoded).
[[nodiscard]] std::map<std::string, std::string> parse_form(std::string_view text);

}  // namespace attend::server
