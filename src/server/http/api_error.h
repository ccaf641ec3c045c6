#pragma once
#include <stdexcept>
#include <string>

#include "server/http/http.h"

namespace attend::server {

/// A request that cannot be answered: what the client gets to read.
class ApiError final : public std::runtime_error {
 public:
  ApiError(int status, std::string code, const std::string& message)
      : std::runtime_error(message), status_(status), code_(std::move(code)) {}

  [[nodiscard]] int status() const { return status_; }
  [[nodiscard]] const std::string& code() const { return code_; }

 private:
  int status_;
  std::string code_;
};

/// 400 "bad_request".
[[nodiscard]] ApiError bad_request(const std::string& message);

/// What a client reads under "error".
enum class ErrorForm {
  kObject,  ///< {"code": ..., "message": ...}
  kText,    ///< the message, as LibreTranslate has it
};

/// {"error": ...}; 429 and 503 with Retry-After, 401 with WWW-Authenticate (RFC 6750, section 3).
[[nodiscard]] Response error_response(const ApiError& error, ErrorForm form = ErrorForm::kObject);

/// The exception that is being handled as an ApiError: a mistake of the user as 400, numeric
/// failures and bugs of ours as 500, which are logged.
[[nodiscard]] ApiError current_error();

}  // namespace attend::server
