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
#include "config/load.h"

namespace attend::app {

/// A request to train.
struct TrainingRequest {
  std::string from = {};               ///< model folder to fine-tune; empty: none
  std::string config;                  ///< a file; empty: none, only with `from`
  std::vector<std::string> overrides;  ///< key=value
  std::optional<int64_t> seed = {};    ///< overrides the config's
  std::string output;                  ///< the model folder; empty: default_output()
  IfExists if_exists = IfExists::kRefuse;
  bool dry = false;      ///< write nothing and do not lock the folder
  bool follows = false;  ///< another process leads the run and owns the folder
};

/// The model folder of the run.
[[nodiscard]] std::filesystem::path output_of(const TrainingRequest& request);

/// A run that is ready to be prepared.
struct PlannedRun {
  Experiment experiment;
  std::filesystem::path directory;
  std::unique_ptr<RunFolder> folder;  ///< locked; null: nothing will be written
  bool resumed = false;
  std::string asked = {};  ///< the config as given, before it is merged with the folder's config
  bool follows = false;
};

/// Reads the config of a run. Throws ConfigError.
[[nodiscard]] config::Loaded<Experiment> load_config(const TrainingRequest& request);

/// Plans the run of `request`, whose config is `loaded`, and locks its folder. Throws UsageError if
/// the folder may not be used (check_output(), RunFolder, the model to start from), ConfigError if
/// a resumed run cannot have this config, and DataError if a text cannot be read. Changes nothing
/// in the folder.
[[nodiscard]] PlannedRun plan_run(const TrainingRequest& request,
                                  config::Loaded<Experiment> loaded);

}  // namespace attend::app
