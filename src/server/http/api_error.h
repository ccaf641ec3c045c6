#pragma once
#include <stdexcept>
#include <string>

#include "server/http/http.h"

namespace attend::server {

/// An error that is reported to the client.
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

/// An error 400 with the code "bad_request".
[[nodiscard]] ApiError bad_request(const std::string& message);

/// The form of the field "error" in an answer.
enum class ErrorForm {
  kObject,  ///< {"code": ..., "message": ...}
  kText,    ///< the message, as in LibreTranslate
};

/// {"error": ...}, with Retry-After for 429 and 503 and WWW-Authenticate for 401 (RFC 6750, section
/// 3).
[[nodiscard]] Response error_response(const ApiError& error, ErrorForm form = ErrorForm::kObject);

/// Converts the exception being handled to an ApiError. UserError becomes 400; numeric failures and
/// internal errors become 500 and are logged.
[[nodiscard]] ApiError current_error();

}  // namespace attend::server
