#pragma once
#include <filesystem>
#include <optional>
#include <string>

#include "app/model/loaded_model.h"
#include "app/model/scratch_folder.h"

namespace attend::app {

/// The input text of a command: FILE itself, or for a model of several sources
/// NAME=FILE,NAME=FILE with the names of data.train.source. Several files are joined, in the format
/// of cut_source(), in a temporary file that is removed with the object.
class SourceFile {
 public:
  /// Throws UsageError for unknown or missing names, DataError for files that cannot be read or
  /// differ in line count.
  SourceFile(const std::string& given, const LoadedModel& model);

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  std::optional<ScratchFolder> folder_;
};

}  // namespace attend::app
