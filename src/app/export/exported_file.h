#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace attend::app {

/// A file of an export: its name in the folder or archive ("model/config.json") and its bytes.
struct ExportedFile {
  std::string name;
  std::string content;
};

/// Writes the files into the folder `directory`, each atomically and in order, so that the last one
/// marks a complete export. Throws UsageError if the folder exists, unless `overwrite` is set and
/// it is empty or holds an earlier export, whose files are then removed first. If a file cannot be
/// written, a new folder is removed again. Throws DataError.
void write_export_folder(const std::filesystem::path& directory,
                         const std::vector<ExportedFile>& files, bool overwrite);

/// Throws UsageError as write_export_folder() does. Changes nothing.
void check_export_folder(const std::filesystem::path& directory, bool overwrite);

}  // namespace attend::app
