#include "server/http/guard.h"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "core/excerpt.h"
#include "server/http/api_error.h"

namespace attend::server {
namespace {

/// Host names are case-insensitive (RFC 9110, 4.2.3).
std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

/// The host in "name:80", "[::1]:80" or "Name", without port and brackets, in lower case.
std::string host_name(const std::string& given) {
  const std::string host = lower(given);
  if (host.starts_with('[')) {
    const std::size_t end = host.find(']');
    const bool whole = end != std::string::npos && (end + 1 == host.size() || host[end + 1] == ':');
    return whole ? host.substr(1, end - 1) : "";
  }
  return host.substr(0, host.find(':'));
}

bool is_address(const std::string& name) {
  in6_addr address{};
  return inet_pton(AF_INET, name.c_str(), &address) == 1 ||
         inet_pton(AF_INET6, name.c_str(), &address) == 1;
}

/// Compares two secrets in a time that does not depend on how many characters match.
bool same_secret(const std::string& a, const std::string& b) {
  unsigned difference = a.size() == b.size() ? 0 : 1;
  for (std::size_t i = 0; i < a.size(); ++i)
    difference |= static_cast<unsigned char>(a[i]) ^
                  static_cast<unsigned char>(b.empty() ? 0 : b[i % b.size()]);
  return difference == 0;
}

}  // namespace

Guard::Guard(GuardOptions options) : options_(std::move(options)) {
  for (std::string& host : options_.hosts) host = lower(std::move(host));
}

void Guard::check(const Request& request, bool open) const {
  check_host(request);
  check_origin(request);
  if (!options_.token.empty() && !open) check_token(request);
}

void Guard::check_host(const Request& request) const {
  const std::string name = host_name(request.header("host"));
  const bool known =
      name == "localhost" || is_address(name) ||
      std::find(options_.hosts.begin(), options_.hosts.end(), name) != options_.hosts.end();
  if (known) return;
  if (name.empty())
    throw ApiError(403, "forbidden_host",
                   "the header Host is missing or invalid; HTTP/1.1 requires it");
  throw ApiError(403, "forbidden_host",
                 fmt::format("unknown host name \"{}\"; start the server with --host-name {} to "
                             "allow it",
                             excerpt(name), excerpt(name)));
}

void Guard::check_origin(const Request& request) const {
  const std::string origin = lower(request.header("origin"));
  const std::string host = lower(request.header("host"));
  if (origin.empty() || origin == "http://" + host || origin == "https://" + host) return;
  throw ApiError(403, "forbidden_origin", "pages of other sites may not use this server");
}

void Guard::check_token(const Request& request) const {
  if (same_secret(request.header("authorization"), "Bearer " + options_.token)) return;
  throw ApiError(401, "unauthorized", "send the header \"Authorization: Bearer TOKEN\"");
}

}  // namespace attend::server
