#pragma once
#include <array>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "server/runs/file_stamp.h"
#include "server/runs/run_history.h"

namespace attend::server {

/// A training run, as its folder tells of it. Keeps what it has read.
class TrainingRun {
 public:
  explicit TrainingRun(const std::filesystem::path& folder);

  /// Reads what is new.
  void look();

  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }
  [[nodiscard]] const RunHistory& history() const { return history_; }
  /// "training" while a process does; "finished" where the last state is that of an end which the
  /// config asks for; else "stopped": cut off, or the folder does not tell.
  [[nodiscard]] const char* state();

 private:
  std::filesystem::path folder_;
  RunHistory history_;
  std::array<std::optional<FileStamp>, 2> seen_;  // config and state
  bool finished_ = false;                         // as of these
};

/// The training runs below a folder. For one thread at a time.
class RunFolders {
 public:
  /// `root` may be empty: there are none.
  explicit RunFolders(std::filesystem::path root);

  /// All that are there now, each looked at. Forgets those that are gone.
  [[nodiscard]] std::map<std::filesystem::path, TrainingRun>& all();
  /// The one of that name, looked at. Throws ApiError 404.
  [[nodiscard]] TrainingRun& named(const std::string& name);

  /// The path of a run's folder from the root; the root's own name for itself.
  [[nodiscard]] std::string name_of(const std::filesystem::path& folder) const;

 private:
  void find();

  std::filesystem::path root_;
  std::map<std::filesystem::path, TrainingRun> runs_;  // by folder
};

}  // namespace attend::server
