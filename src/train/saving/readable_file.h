#pragma once
#include <filesystem>
#include <string>

namespace attend::train {

/// Throws ModelFileError if the file exists but cannot be read to its end for the moment (rights, a
/// lost network drive, too many open files). Such a file may be intact, so it must not be treated
/// as damaged. The message ends with `advice`, the effect of moving the file away.
void check_can_be_read(const std::filesystem::path& file, const std::string& advice);

}  // namespace attend::train
