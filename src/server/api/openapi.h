#pragma once
#include <string>
#include <vector>

#include "server/http/router.h"

namespace attend::server {

/// The description of the routes (OpenAPI 3.0.3, https://spec.openapis.org/oas/v3.0.3), with the
/// fields that each takes. Throws std::logic_error for a POST route whose fields it does not know.
[[nodiscard]] std::string openapi(const std::vector<Route>& routes);

}  // namespace attend::server
