#pragma once
#include <atomic>

#include "server/context.h"
#include "server/router.h"

namespace attend::server {

/// Everything that the server answers. Borrows both.
[[nodiscard]] std::vector<Route> make_routes(const Context& context,
                                             const std::atomic<bool>& stopping);

}  // namespace attend::server
