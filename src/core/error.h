#pragma once
#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <string>

namespace attend {

/// Exit codes of the program. Part of the command-line contract.
enum class ExitCode : int {
  kDone = 0,
  kInternal = 1,  ///< our bug, or out of memory
  kUsage = 2,     ///< wrong command line or config
  kData = 3,     ///< wrong or missing data, model or program file, or output that cannot be written
  kNumeric = 4,  ///< non-finite loss beyond the policy
  kPeers = 5,    ///< another process of the run failed, ended or stopped responding
  kSignalBase = 128,  ///< 128 + N: stopped by signal N after the state was saved
};

/// An error that the user can fix. what() is printed unchanged: it says what was found, where, what
/// was expected and what to do. Bugs of the program are std::logic_error instead.
class UserError : public std::runtime_error {
 public:
  UserError(ExitCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
  [[nodiscard]] ExitCode exit_code() const { return code_; }

 private:
  ExitCode code_;
};

/// Wrong use of the command line, or an output folder that already exists. Exit code 2.
class UsageError : public UserError {
 public:
  explicit UsageError(const std::string& message) : UserError(ExitCode::kUsage, message) {}
};

/// One or more errors in a config; the message lists them all, each with file:line:column. Exit
/// code 2.
class ConfigError : public UserError {
 public:
  explicit ConfigError(const std::string& message) : UserError(ExitCode::kUsage, message) {}
};

/// A data file or a part of the program that is missing, unreadable or malformed, or output that
/// cannot be written. Exit code 3.
class DataError : public UserError {
 public:
  explicit DataError(const std::string& message) : UserError(ExitCode::kData, message) {}
  /// Prefixes the message with "path: " or, with `line` (from 1), "path:line: ". The path "-" is
  /// shown as "standard input".
  DataError(const std::filesystem::path& path, const std::string& message);
  DataError(const std::filesystem::path& path, int64_t line, const std::string& message);
};

/// A model folder or checkpoint that is missing, damaged or of another format version. Exit code 3.
class ModelFileError : public UserError {
 public:
  ModelFileError(const std::filesystem::path& path, const std::string& message);
};

/// More non-finite losses or gradients than the policy allows, or non-finite weights at the end of
/// training. Exit code 4.
class NumericError : public UserError {
 public:
  explicit NumericError(const std::string& message) : UserError(ExitCode::kNumeric, message) {}
};

/// Too little memory, on the CPU or a GPU. Exit code 1.
class MemoryError : public UserError {
 public:
  explicit MemoryError(const std::string& message) : UserError(ExitCode::kInternal, message) {}
};

/// A signal requested a stop, and all state has been saved. Exit code 128 + signal.
class Stopped : public UserError {
 public:
  Stopped(int signal, const std::string& message);
};

}  // namespace attend
