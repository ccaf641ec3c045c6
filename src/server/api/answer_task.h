#pragma once
#include <functional>
#include <nlohmann/json_fwd.hpp>

#include "server/http/http.h"

namespace attend::server {

/// What a thread can do when it is free: answers with what `make` makes, or with the error that it
/// throws; nothing is made for a client that has left by then. Does not throw.
[[nodiscard]] std::function<void()> answer_task(SharedExchange exchange,
                                                std::function<nlohmann::json()> make);

}  // namespace attend::server
