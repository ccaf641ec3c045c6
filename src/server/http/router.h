#pragma once
#include <functional>
#include <string>
#include <vector>

#include "server/http/api_error.h"
#include "server/http/http.h"

namespace attend::server {

/// A path of the server and its handler. A route without a method has no handler. It only sets the
/// form of errors at a path of another API that this server does not have.
struct Route {
  std::string method;
  std::string path;     ///< "/v1/runs/*" matches everything below
  std::string meaning;  ///< for the description of the API
  /// Answers at once or later. May throw ApiError and UserError before it has answered.
  std::function<void(const Request&, const SharedExchange&)> handle;
  bool open = false;  ///< needs no token
  ErrorForm errors = ErrorForm::kObject;
};

/// Finds the route of a request.
class Router {
 public:
  explicit Router(std::vector<Route> routes) : routes_(std::move(routes)) {}

  [[nodiscard]] const std::vector<Route>& routes() const { return routes_; }
  /// The route of a request, or null. HEAD finds the route of GET.
  [[nodiscard]] const Route* find(const Request& request) const;
  /// The form of errors at this path.
  [[nodiscard]] ErrorForm errors_at(const std::string& path) const;
  /// The response to a request without a route: 405 if its path has routes, else 404.
  [[nodiscard]] Response no_route(const Request& request) const;

 private:
  [[nodiscard]] std::vector<std::string> methods_at(const std::string& path) const;

  std::vector<Route> routes_;
};

}  // namespace attend::server
