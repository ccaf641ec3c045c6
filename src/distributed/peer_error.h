#pragma once
#include <string>

#include "core/error.h"

namespace attend::distributed {

/// Another process of the run has ended, stopped responding or failed. Exit code 5.
class PeerError : public UserError {
 public:
  /// `speaks`: true in the one process that reports the error to the user, the lowest rank of those
  /// that noticed it. `can_resume`: true if the run has a checkpoint.
  PeerError(const std::string& message, bool speaks, bool can_resume = false)
      : UserError(ExitCode::kPeers, message), speaks_(speaks), can_resume_(can_resume) {}
  [[nodiscard]] bool speaks() const { return speaks_; }
  [[nodiscard]] bool can_resume() const { return can_resume_; }

 private:
  bool speaks_;
  bool can_resume_;
};

/// The first process failed in a decide(). It reports the error itself.
class FailedForAll : public UserError {
 public:
  FailedForAll(int exit_code, const std::string& message)
      : UserError(static_cast<ExitCode>(exit_code), message) {}
};

}  // namespace attend::distributed
