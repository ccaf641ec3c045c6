#pragma once
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/config/experiment.h"
#include "app/model/output_directory.h"
#include "app/run/run_folder.h"

namespace attend::app {

/// What a run is asked for.
struct TrainingRequest {
  std::string config;                  ///< a file
  std::vector<std::string> overrides;  ///< key=value
  std::optional<int64_t> seed = {};    ///< in place of the config's
  std::string output;                  ///< the model folder; empty: default_output()
  IfExists if_exists = IfExists::kRefuse;
  bool dry = false;  ///< nothing is to be written: the folder is not taken
  /// Another process leads this run: the folder is its business, which may be on its machine alone.
  bool follows = false;
};

/// A run about to be made.
struct PlannedRun {
  Experiment experiment;
  std::filesystem::path directory;
  std::unique_ptr<RunFolder> folder;  ///< locked; null: nothing will be written
  bool resumed = false;
  std::string asked = {};  ///< the config as it was given, whatever the folder holds
  bool follows = false;
};

/// Reads the config and takes the folder. Throws ConfigError, UsageError where the folder must not
/// be used so (check_output(), RunFolder) and DataError where a text cannot be read: all before
/// anything in the folder is changed.
[[nodiscard]] PlannedRun plan_run(const TrainingRequest& request);

}  // namespace attend::app
