#include "app/export/exported_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

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

void make_export_folder(const path& directory) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error) throw DataError(directory, "cannot create the folder: " + error.message());
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
  const bool is_new = !std::filesystem::exists(directory);
  make_export_folder(directory);
  try {
    remove_earlier_export(directory);
    for (const ExportedFile& file : files)
      write_file_atomically(directory / file.name, file.content);
  } catch (...) {
    std::error_code ignored;
    if (is_new) std::filesystem::remove_all(directory, ignored);
    throw;
  }
}

}  // namespace attend::app
