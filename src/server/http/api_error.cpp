#include "server/http/api_error.h"

#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/log.h"
#include "decode/search/search_control.h"
#include "server/http/json.h"

namespace attend::server {

ApiError bad_request(const std::string& message) {
  return {400, "bad_request", message};
}

Response error_response(const ApiError& error, ErrorForm form) {
  const nlohmann::json object = {{"code", error.code()}, {"message", error.what()}};
  const nlohmann::json shown = form == ErrorForm::kText ? object["message"] : object;
  Response response{.status = error.status(), .body = dump({{"error", shown}})};
  if (error.status() == 429 || error.status() == 503)
    response.headers.emplace_back("Retry-After", "1");
  if (error.status() == 401) response.headers.emplace_back("WWW-Authenticate", "Bearer");
  return response;
}

ApiError current_error() {
  try {
    throw;
  } catch (const ApiError& error) {
    return error;
  } catch (const decode::SearchCancelled&) {
    return {503, "cancelled", "the search was cancelled because the client disconnected"};
  } catch (const Stopped&) {
    return {503, "stopping", "the server is shutting down"};
  } catch (const NumericError& error) {
    log::error("{}", error.what());
    return {500, "not_finite", error.what()};
  } catch (const UserError& error) {
    return bad_request(error.what());
  } catch (const std::exception& error) {
    log::error("internal error: {}", error.what());
    return {500, "internal", "internal error; see the server's log"};
  }
}

}  // namespace attend::server
