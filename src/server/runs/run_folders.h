#pragma once
#include <array>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "server/runs/file_stamp.h"
#include "server/runs/run_history.h"

namespace attend::server {

/// A training run, read from its folder. Caches what it has read.
class TrainingRun {
 public:
  explicit TrainingRun(const std::filesystem::path& folder);

  /// Reads new lines of the history.
  void refresh();

  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }
  [[nodiscard]] const RunHistory& history() const { return history_; }
  /// "training" while a process trains; "finished" if the run reached a limit of its config; else
  /// "stopped".
  [[nodiscard]] const char* state();

 private:
  std::filesystem::path folder_;
  RunHistory history_;
  std::array<std::optional<FileStamp>, 2> seen_;  // of config and state
  bool finished_ = false;                         // as of `seen_`
};

/// The training runs below a folder. Not thread-safe.
class RunFolders {
 public:
  /// An empty `root` means no runs.
  explicit RunFolders(std::filesystem::path root);

  /// Updates and returns all current runs. Forgets deleted runs.
  [[nodiscard]] std::map<std::filesystem::path, TrainingRun>& all();
  /// Updates and returns the run called `name`. Throws ApiError 404 if there is none.
  [[nodiscard]] TrainingRun& named(const std::string& name);

  /// The path of a run's folder relative to the root; for the root itself, the name of the folder.
  [[nodiscard]] std::string name_of(const std::filesystem::path& folder) const;

 private:
  void find();

  std::filesystem::path root_;
  std::map<std::filesystem::path, TrainingRun> runs_;  // by folder
};

}  // namespace attend::server
