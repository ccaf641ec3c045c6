#pragma once
#include <filesystem>
#include <system_error>

#include "core/error.h"

namespace attend::app {

/// Throws ModelFileError if a file in a model folder is a pipe, a socket or a device, or a link to
/// one: opening it could wait for ever.
inline void refuse_special_files(const std::filesystem::path& directory) {
  std::error_code failed;
  for (const auto& entry : std::filesystem::directory_iterator(directory, failed)) {
    if (entry.is_other(failed))
      throw ModelFileError(entry.path(), "not a file but a pipe, a socket or a device; remove it");
  }
}

}  // namespace attend::app
