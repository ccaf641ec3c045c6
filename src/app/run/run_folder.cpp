#include "app/run/run_folder.h"

#include <fmt/format.h>

#include "core/error.h"
#include "core/option_name.h"
#include "storage/model_folder.h"

namespace attend::app {
namespace {

using std::filesystem::path;

[[noreturn]] void report_holder(const path& directory, int64_t process) {
  const std::string who = process == 0 ? "another process" : fmt::format("process {}", process);
  throw UsageError(fmt::format(
      "{} {}: {} is training in this folder; wait for it, stop it (it saves its state), "
      "or give another folder",
      option_name("output"), directory.string(), who));
}

/// Creates the folder; returns false if it existed.
bool make_folder(const path& directory) {
  std::error_code error;
  const auto type = std::filesystem::status(std::filesystem::absolute(directory), error).type();
  // For example a symlink loop. A missing folder is not an error.
  if (type == std::filesystem::file_type::none) throw DataError(directory, error.message());
  error.clear();
  if (directory.has_parent_path()) {
    std::filesystem::create_directories(directory.parent_path(), error);
  }
  const bool made = !error && std::filesystem::create_directory(directory, error);
  if (error) throw DataError(directory, "cannot create the folder: " + error.message());
  return made;
}

}  // namespace

RunFolder::Made::~Made() {
  std::error_code ignored;
  if (by_us) std::filesystem::remove(directory, ignored);  // fails unless it is empty
}

RunFolder::RunFolder(const path& directory)
    : made_{directory, make_folder(directory)}, lock_(directory / storage::model_folder::kLock) {
  if (!lock_.take()) {
    report_holder(directory, lock_holder(directory / storage::model_folder::kLock).value_or(0));
  }
}

RunFolder::~RunFolder() = default;

void check_not_locked(const path& directory) {
  const auto holder = lock_holder(directory / storage::model_folder::kLock);
  if (holder) report_holder(directory, *holder);
}

}  // namespace attend::app
