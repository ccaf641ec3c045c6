#include "server/http/router.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/closest_name.h"
#include "core/excerpt.h"
#include "server/http/api_error.h"

namespace attend::server {
namespace {

bool matches(const std::string& pattern, const std::string& path) {
  if (!pattern.ends_with("/*")) return pattern == path;
  const std::size_t fixed = pattern.size() - 1;
  return path.size() > fixed && path.compare(0, fixed, pattern, 0, fixed) == 0;
}

}  // namespace

const Route* Router::find(const Request& request) const {
  const std::string method = request.method == "HEAD" ? "GET" : request.method;
  for (const Route& route : routes_) {
    if (route.method == method && matches(route.path, request.path)) return &route;
  }
  return nullptr;
}

std::vector<std::string> Router::methods_at(const std::string& path) const {
  std::vector<std::string> methods;
  for (const Route& route : routes_) {
    if (route.method.empty() || !matches(route.path, path)) continue;
    methods.push_back(route.method);
    if (route.method == "GET") methods.emplace_back("HEAD");
  }
  return methods;
}

ErrorForm Router::errors_at(const std::string& path) const {
  for (const Route& route : routes_) {
    if (matches(route.path, path)) return route.errors;
  }
  return ErrorForm::kObject;
}

Response Router::no_route(const Request& request) const {
  const auto methods = methods_at(request.path);
  if (methods.empty()) {
    return error_response(
        ApiError(404, "not_found", fmt::format("unknown path {}", excerpt(request.path))),
        errors_at(request.path));
  }
  Response response = error_response(ApiError(405, "method_not_allowed",
                                              fmt::format("{} accepts {}, not {}", request.path,
                                                          join(methods), excerpt(request.method))),
                                     errors_at(request.path));
  response.headers.emplace_back("Allow", fmt::format("{}", fmt::join(methods, ", ")));
  return response;
}

}  // namespace attend::server
