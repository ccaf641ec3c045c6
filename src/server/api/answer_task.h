#pragma once
#include <functional>
#include <nlohmann/json_fwd.hpp>

#include "server/http/http.h"

namespace attend::server {

/// A task that answers with the result of `make`, or with the error that it throws. It does not
/// call `make` if the client has disconnected. The task does not throw.
[[nodiscard]] std::function<void()> answer_task(SharedExchange exchange,
                                                std::function<nlohmann::json()> make);

}  // namespace attend::server
