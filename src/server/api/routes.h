#pragma once
#include <atomic>

#include "server/api/context.h"
#include "server/http/router.h"

namespace attend::server {

/// Everything that the server answers. Borrows both.
[[nodiscard]] std::vector<Route> make_routes(const Context& context,
                                             const std::atomic<bool>& stopping);

}  // namespace attend::server
