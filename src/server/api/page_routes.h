#pragma once
#include <vector>

#include "server/http/router.h"

namespace attend::server {

/// The page, its style and its scripts, as the build found them in src/server/page. They load
/// nothing from elsewhere, which their Content-Security-Policy forbids too.
[[nodiscard]] std::vector<Route> page_routes();

}  // namespace attend::server
