#include "core/error.h"

#include <fmt/format.h>

namespace attend {
namespace {

std::string name_of(const std::filesystem::path& path) {
  return path == "-" ? "standard input" : path.string();
}

}  // namespace

DataError::DataError(const std::filesystem::path& path, const std::string& message)
    : DataError(fmt::format("{}: {}", name_of(path), message)) {}

DataError::DataError(const std::filesystem::path& path, int64_t line, const std::string& message)
    : DataError(fmt::format("{}:{}: {}", name_of(path), line, message)) {}

ModelFileError::ModelFileError(const std::filesystem::path& path, const std::string& message)
    : UserError(ExitCode::kData, fmt::format("{}: {}", path.string(), message)) {}

Stopped::Stopped(int signal, const std::string& message)
    : UserError(static_cast<ExitCode>(static_cast<int>(ExitCode::kSignalBase) + signal), message) {}

}  // namespace attend
