#include "app/export/exported_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <system_error>
#include <utility>

#include "core/error.h"
#include "core/file.h"
#include "core/option_name.h"
#include "core/replacement_file.h"
#include "storage/model_folder.h"

namespace attend::app {
namespace {

using std::filesystem::path;
namespace names = storage::model_folder;

/// The files that readers open first. An export is complete when it has one of them.
constexpr std::array<std::string_view, 2> kMarks = {"model.bin", "model.py"};
/// The other files of all folder formats.
constexpr std::array<std::string_view, 8> kOtherFiles = {"config.json",
                                                         "shared_vocabulary.json",
                                                         "source_vocabulary.json",
                                                         "target_vocabulary.json",
                                                         "model.safetensors",
                                                         names::kJointPieces,
                                                         names::kSourcePieces,
                                                         names::kTargetPieces};

bool holds_an_export(const path& directory) {
  return std::any_of(kMarks.begin(), kMarks.end(), [&](std::string_view mark) {
    return std::filesystem::exists(directory / mark);
  });
}

/// Removes the marks first: an interrupted removal leaves no export that looks complete.
void remove_earlier_export(const path& directory) {
  for (const std::string_view name : kMarks) remove_file(directory / name);
  for (const std::string_view name : kOtherFiles) remove_file(directory / name);
}

void throw_if(const path& place, const char* action, const std::error_code& error) {
  if (error) throw DataError(place, fmt::format("cannot {}: {}", action, error.message()));
}

/// A new folder beside `directory`, which is removed unless it was renamed. A killed process leaves
/// it: "x.attend-1.tmp" for "x".
class StagingFolder {
 public:
  explicit StagingFolder(const path& directory) {
    const path whole = directory.has_filename() ? directory : directory.parent_path();
    std::error_code error;
    if (whole.has_parent_path()) std::filesystem::create_directories(whole.parent_path(), error);
    for (int number = 1; !error && path_.empty(); ++number) {
      path name = whole;
      name += fmt::format(".attend-{}.tmp", number);
      if (std::filesystem::create_directory(name, error)) path_ = std::move(name);
    }
    throw_if(directory, "create the folder", error);
  }
  ~StagingFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  StagingFolder(const StagingFolder&) = delete;
  StagingFolder& operator=(const StagingFolder&) = delete;

  [[nodiscard]] const path& at() const { return path_; }

 private:
  path path_;
};

void move_to(const path& from, const path& to) {
  std::error_code error;
  std::filesystem::rename(from, to, error);
  throw_if(to, "put the export in place", error);
}

}  // namespace

void check_export_folder(const path& directory, bool overwrite) {
  std::error_code error;
  if (!std::filesystem::exists(directory, error)) return;
  const auto refuse = [&](const std::string& why) {
    throw UsageError(fmt::format("{} {}: {}", option_name("output"), directory.string(), why));
  };
  if (!std::filesystem::is_directory(directory, error)) refuse("is a file; give a folder");
  if (!overwrite) {
    refuse(fmt::format("the folder exists; replace its export ({}) or give another folder",
                       option_name("overwrite")));
  }
  if (!std::filesystem::is_empty(directory, error) && !holds_an_export(directory)) {
    refuse(fmt::format("holds other files and no earlier export ({}); give another folder",
                       fmt::join(kMarks, " or ")));
  }
}

void write_export_folder(const path& directory, const std::vector<ExportedFile>& files,
                         bool overwrite) {
  check_export_folder(directory, overwrite);
  const StagingFolder staging(directory);
  for (const ExportedFile& file : files)
    write_file_atomically(staging.at() / file.name, file.content);
  if (!std::filesystem::exists(directory)) return move_to(staging.at(), directory);
  remove_earlier_export(directory);
  for (const ExportedFile& file : files) move_to(staging.at() / file.name, directory / file.name);
}

}  // namespace attend::app
