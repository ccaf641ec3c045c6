#pragma once
#include <map>
#include <string>
#include <string_view>

namespace attend::server {

/// The decoded target of a request.
struct Target {
  std::string path;
  std::map<std::string, std::string> query;
};

/// Parses "/a%20b?c=d" (RFC 3986, 3.3 and 3.4). Throws ApiError if the leading slash is missing or
/// a percent encoding is invalid.
[[nodiscard]] Target parse_target(std::string_view target);

/// Parses a form, "a=b&c=d" (application/x-www-form-urlencoded).
[[nodiscard]] std::map<std::string, std::string> parse_form(std::string_view text);

}  // namespace attend::server
