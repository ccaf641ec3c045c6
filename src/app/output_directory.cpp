#include "app/output_directory.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "config/print.h"
#include "core/error.h"
#include "core/file.h"
#include "core/log.h"
#include "core/replacement_file.h"
#include "core/temporary_file.h"
#include "storage/model_folder.h"
#include "train/snapshots.h"

namespace attend::app {
namespace {

using std::filesystem::path;
namespace names = storage::model_folder;

/// All but snapshots. The states come first: a folder without them is one to start in, so that an
/// interrupted removal leaves no half of a run to go on with.
constexpr std::array kFiles = {names::kLastState,    names::kPreviousState, names::kDamagedState,
                               names::kConfig,       names::kJointPieces,   names::kSourcePieces,
                               names::kTargetPieces, names::kBestWeights,   names::kLastWeights,
                               names::kHistory,      names::kReport};

bool is_of_a_run(const path& file) {
  const bool named = std::find(kFiles.begin(), kFiles.end(), file.filename()) != kFiles.end();
  return named || train::is_snapshot(file);
}

void remove_earlier_run(const path& directory) {
  for (const char* name : kFiles) remove_file(directory / name);
  train::remove_snapshots_after(directory, -1);
  remove_unfinished_files(directory);
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
  for (const char* state : {names::kLastState, names::kPreviousState}) {
    if (std::filesystem::exists(directory / state)) return true;
  }
  log::info("nothing to resume in {}: training starts at the beginning", directory.string());
  return false;
}

void remove_unfinished_files(const path& directory) {
  std::error_code error;
  std::vector<path> unfinished;
  for (const auto& entry : std::filesystem::directory_iterator(directory, error)) {
    const auto finished = temporary_target(entry.path());
    if (finished && is_of_a_run(*finished)) unfinished.push_back(entry.path());
  }
  if (error) throw DataError(directory, "the folder cannot be read: " + error.message());
  for (const path& file : unfinished) remove_leftover(file);
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

}  // namespace attend::app
