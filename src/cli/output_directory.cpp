#include "cli/output_directory.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "cli/model_directory.h"
#include "config/load.h"
#include "config/print.h"
#include "core/closest_name.h"
#include "core/error.h"
#include "core/file.h"
#include "core/log.h"
#include "train/snapshots.h"

namespace attend::cli {
namespace {

using std::filesystem::path;
namespace names = model_directory;

/// Sections and keys that the saved state depends on.
constexpr std::array<std::string_view, 13> kFixed = {"seed",
                                                     "data.max_length",
                                                     "data.max_ratio",
                                                     "data.lowercase",
                                                     "tokenizer.",
                                                     "model.embedding",
                                                     "model.tie",
                                                     "model.encoder.",
                                                     "model.decoder.",
                                                     "model.attention.",
                                                     "training.batch.",
                                                     "training.optimizer",
                                                     "training.accumulate"};

bool is_fixed(const std::string& key) {
  return std::any_of(kFixed.begin(), kFixed.end(), [&key](std::string_view fixed) {
    return fixed.ends_with('.') ? key.starts_with(fixed) : key == fixed;
  });
}

void remove_earlier_run(const path& directory) {
  for (const char* name : {names::kConfig, names::kJointPieces, names::kSourcePieces,
                           names::kTargetPieces, names::kBestWeights, names::kLastWeights,
                           names::kLastState, names::kHistory, names::kReport}) {
    std::filesystem::remove(directory / name);
  }
  train::remove_snapshots_after(directory, -1);
}

std::vector<path> tokenizer_paths(const path& directory, bool joint) {
  if (joint) return {directory / names::kJointPieces};
  return {directory / names::kSourcePieces, directory / names::kTargetPieces};
}

void make_directory(const path& directory) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error) throw DataError(directory, "the folder cannot be made: " + error.message());
}

}  // namespace

path default_output(const path& config) {
  return path("runs") / config.stem();
}

train::RunFiles run_files(const path& directory) {
  return {directory, directory / names::kBestWeights, directory / names::kLastWeights,
          directory / names::kLastState, directory / names::kHistory};
}

bool check_output(const path& directory, IfExists if_exists) {
  std::error_code error;
  if (!std::filesystem::exists(directory, error)) return false;
  if (!std::filesystem::is_directory(directory, error)) {
    throw UsageError(fmt::format("--output {}: this is a file; name a folder", directory.string()));
  }
  if (if_exists == IfExists::kRefuse) {
    throw UsageError(
        fmt::format("--output {}: the folder exists; go on with its run (--resume), "
                    "replace it (--overwrite) or name another folder",
                    directory.string()));
  }
  if (if_exists == IfExists::kOverwrite) return false;
  if (std::filesystem::exists(directory / names::kLastState)) return true;
  log::info("nothing to resume in {}: training starts at the beginning", directory.string());
  return false;
}

Experiment start_directory(const path& directory, Experiment experiment,
                           const std::vector<std::string>& tokenizer_models) {
  make_directory(directory);
  remove_earlier_run(directory);
  const std::vector<path> paths = tokenizer_paths(directory, experiment.tokenizer.joint);
  experiment.tokenizer.model.clear();
  for (std::size_t i = 0; i < paths.size(); ++i) {
    write_file_atomically(paths[i], tokenizer_models.at(i));
    experiment.tokenizer.model.push_back(std::filesystem::absolute(paths[i]).string());
  }
  write_config(directory, experiment);
  return experiment;
}

void write_config(const path& directory, const Experiment& experiment) {
  write_file_atomically(directory / names::kConfig,
                        config::to_yaml(experiment, std::filesystem::absolute(directory)));
}

std::vector<std::string> tokenizer_files(const path& directory) {
  std::vector<std::string> files;
  const bool joint = std::filesystem::exists(directory / names::kJointPieces);
  for (const path& file : tokenizer_paths(directory, joint)) {
    if (!std::filesystem::exists(file)) {
      throw ModelFileError(file, "there is no such file; is this a model directory?");
    }
    files.push_back(std::filesystem::absolute(file).string());
  }
  return files;
}

Experiment resumed_experiment(const path& directory, Experiment experiment) {
  const auto before = config::load<Experiment>(directory / names::kConfig);
  experiment.tokenizer.model = before.tokenizer.model;
  // Where a run starts from another model, so does its vocabulary.
  if (!experiment.training.init_from.empty()) experiment.tokenizer.joint = before.tokenizer.joint;
  std::vector<std::string> changed = config::differences(before, experiment);
  std::vector<std::string> refused;
  std::copy_if(changed.begin(), changed.end(), std::back_inserter(refused), is_fixed);
  if (!refused.empty()) {
    throw UsageError(
        fmt::format("--resume: {} differs from the run in {}; a run can only go on "
                    "with the same values (start anew with --overwrite)",
                    join(refused), directory.string()));
  }
  if (!changed.empty()) log::info("resuming with other values of {}", join(changed));
  return experiment;
}

}  // namespace attend::cli
