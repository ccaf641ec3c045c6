#pragma once
#include <filesystem>

namespace attend::app {

/// True if the training run in `folder` reached a limit of its config. False if it was cut off or
/// its config or state cannot be read.
[[nodiscard]] bool is_finished(const std::filesystem::path& folder);

}  // namespace attend::app
