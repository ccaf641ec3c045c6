#pragma once
#include <filesystem>
#include <optional>
#include <string>

#include "app/model/loaded_model.h"
#include "app/model/scratch_folder.h"

namespace attend::app {

/// The text that a command gives to a model: FILE, as it is; or, for a model of several sources,
/// NAME=FILE,NAME=FILE with the names of data.train.source, which are put together as cut_source()
/// reads them, in a file that goes with the object.
class SourceFile {
 public:
  /// Throws UsageError for names that the model does not have, or not all of its names; DataError
  /// for files that cannot be read or differ in line count.
  SourceFile(const std::string& given, const LoadedModel& model);

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  std::optional<ScratchFolder> folder_;
};

}  // namespace attend::app
