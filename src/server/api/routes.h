#pragma once
#include <atomic>
#include <string>
#include <vector>

#include "server/api/context.h"
#include "server/http/router.h"

namespace attend::server {

/// All routes of the server. Keeps references to both arguments.
[[nodiscard]] std::vector<Route> make_routes(const Context& context,
                                             const std::atomic<bool>& stopping);

/// The page, its style and its scripts (src/server/page). They load nothing from other hosts, and
/// their Content-Security-Policy forbids it.
[[nodiscard]] std::vector<Route> page_routes();

/// Description of the routes with the fields of each (OpenAPI 3.0.3,
/// https://spec.openapis.org/oas/v3.0.3). Throws std::logic_error for a POST route without known
/// fields.
[[nodiscard]] std::string openapi(const std::vector<Route>& routes);

}  // namespace attend::server
