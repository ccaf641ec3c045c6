#include "core/error.h"

#include <fmt/format.h>

namespace attend {

DataError::DataError(const std::filesystem::path& path, const std::string& message)
    : DataError(fmt::format("{}: {}", path.string(), message)) {}

DataError::DataError(const std::filesystem::path& path, int64_t line, const std::string& message)
    : DataError(fmt::format("{}:{}: {}", path.string(), line, message)) {}

ModelFileError::ModelFileError(const std::filesystem::path& path, const std::string& message)
    : UserError(ExitCode::kData, fmt::format("{}: {}", path.string(), message)) {}

Stopped::Stopped(int signal, const std::string& message)
    : UserError(static_cast<ExitCode>(static_cast<int>(ExitCode::kSignalBase) + signal), message) {}

}  // namespace attend
