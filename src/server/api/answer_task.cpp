#include "server/api/answer_task.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "decode/search/search_control.h"
#include "server/http/api_error.h"
#include "server/http/json.h"

namespace attend::server {

std::function<void()> answer_task(SharedExchange exchange, std::function<nlohmann::json()> make) {
  return [exchange = std::move(exchange), make = std::move(make)] {
    try {
      if (exchange->is_abandoned()) throw decode::SearchCancelled();
      exchange->respond({.body = dump(make())});
    } catch (...) {
      exchange->respond(error_response(current_error()));
    }
  };
}

}  // namespace attend::server
