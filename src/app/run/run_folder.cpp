#include "app/run/run_folder.h"

#include <fmt/format.h>

#include "app/model/special_files.h"
#include "core/error.h"
#include "core/option_name.h"
#include "core/output_place.h"
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
  // `none` is an error, for example a symlink loop. A missing folder has another type.
  if (type == std::filesystem::file_type::none) throw DataError(directory, error.message());
  error.clear();
  if (directory.has_parent_path()) {
    std::filesystem::create_directories(directory.parent_path(), error);
  }
  const bool made = !error && std::filesystem::create_directory(directory, error);
  if (error) throw DataError(directory, "cannot create the folder: " + error.message());
  return made;
}

/// Rejects links, because those in a stranger's folder could make a run overwrite any file.
void refuse_links_out_of(const path& directory) {
  namespace names = storage::model_folder;
  std::error_code unknown;
  const path here = std::filesystem::canonical(directory, unknown);
  for (const char* name :
       {names::kConfig, names::kJointPieces, names::kSourcePieces, names::kTargetPieces,
        names::kBestWeights, names::kLastWeights, names::kLastState, names::kPreviousState,
        names::kHistory, names::kReport, names::kPieces}) {
    const path file = directory / name;
    if (!std::filesystem::is_symlink(file, unknown) || without_links(file).parent_path() == here)
      continue;
    throw DataError(file, fmt::format("is a link to {}, outside the folder, which training would "
                                      "overwrite; put a copy here instead",
                                      without_links(file).string()));
  }
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
  refuse_special_files(directory);
  refuse_links_out_of(directory);
}

RunFolder::~RunFolder() = default;

void check_not_locked(const path& directory) {
  const auto holder = lock_holder(directory / storage::model_folder::kLock);
  if (holder) report_holder(directory, *holder);
}

}  // namespace attend::app
