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

/// Writes the files into a folder beside `directory`, and then gives it that name, so that a killed
/// process leaves no part of an export there. Throws UsageError if the folder exists, unless
/// `overwrite` is set and it is empty or holds an earlier export: its files are then removed, and
/// the new ones moved in, in order, so that the last one marks a complete export. If a file cannot
/// be written, nothing changes. Throws DataError.
void write_export_folder(const std::filesystem::path& directory,
                         const std::vector<ExportedFile>& files, bool overwrite);

/// Throws UsageError as write_export_folder() does. Changes nothing.
void check_export_folder(const std::filesystem::path& directory, bool overwrite);

}  // namespace attend::app
