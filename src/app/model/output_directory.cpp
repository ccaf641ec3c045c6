#include "app/model/output_directory.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

#include "config/print.h"
#include "core/error.h"
#include "core/file.h"
#include "core/option_name.h"
#include "core/replacement_file.h"
#include "core/temporary_file.h"
#include "storage/model_folder.h"
#include "train/saving/snapshots.h"

namespace attend::app {
namespace {

using std::filesystem::path;
namespace names = storage::model_folder;

constexpr std::array kStates = {names::kLastState, names::kPreviousState, names::kDamagedState};
constexpr std::array kWeights = {names::kBestWeights, names::kLastWeights};
constexpr std::array kOthers = {names::kHistory,     names::kReport,       names::kConfig,
                                names::kJointPieces, names::kSourcePieces, names::kTargetPieces,
                                names::kPieces};

bool is_named(const path& file, std::span<const char* const> all) {
  return std::find(all.begin(), all.end(), file.filename()) != all.end();
}

bool is_of_a_run(const path& file) {
  return is_named(file, kStates) || is_named(file, kWeights) || is_named(file, kOthers) ||
         train::is_snapshot(file);
}

/// Returns true if the file marks its folder as a model folder. A config.yaml or report.html may
/// belong to other work.
bool is_mark_of_a_run(const path& file) {
  if (file.filename() == names::kConfig || file.filename() == names::kReport) return false;
  return is_of_a_run(file) || file.filename() == names::kLock;
}

/// Removes states first, then weights: an interrupted removal leaves no half run to resume, and the
/// folder is recognised as a model folder until its last file is gone.
void remove_earlier_run(const path& directory) {
  for (const char* name : kStates) remove_file(directory / name);
  for (const char* name : kWeights) remove_file(directory / name);
  train::remove_snapshots_after(directory, -1);
  for (const char* name : kOthers) remove_file(directory / name);
  remove_unfinished_files(directory);
}

std::vector<path> files_in(const path& directory) {
  std::error_code error;
  std::vector<path> files;
  for (const auto& entry : std::filesystem::directory_iterator(directory, error)) {
    files.push_back(entry.path());
  }
  if (error) throw DataError(directory, "cannot read the folder: " + error.message());
  std::sort(files.begin(), files.end());
  return files;
}

/// A process that is killed before its run begins leaves only a lock.
bool is_only_a_lock(const std::vector<path>& files) {
  return files.size() == 1 && files.front().filename() == names::kLock;
}

bool is_same(const path& a, const path& b) {
  std::error_code ignored;
  return std::filesystem::equivalent(a, b, ignored);
}

/// A new run replaces files by name, so the folder must not hold other work.
void check_replaceable(const path& directory, const path& config) {
  const std::vector<path> files = files_in(directory);
  if (files.empty() || is_only_a_lock(files)) return;
  const auto refuse = [&](const char* why) {
    throw UsageError(
        fmt::format("{} {}: {}, and a new run would replace files there; give another folder",
                    option_name("output"), directory.string(), why));
  };
  if (is_same(directory, ".")) refuse("this is the working directory");
  if (is_same(directory, std::filesystem::absolute(config).parent_path())) {
    refuse("the folder holds the config in use");
  }
  if (std::none_of(files.begin(), files.end(), is_mark_of_a_run)) {
    refuse("this is not a model folder: it has neither weights nor a training state");
  }
}

void check_unused(const path& directory) {
  if (is_only_a_lock(files_in(directory))) return;
  throw UsageError(fmt::format(
      "{} {}: the folder exists; resume its run ({}), replace it ({}) or give another folder",
      option_name("output"), directory.string(), option_name("resume"), option_name("overwrite")));
}

/// Protects weights without a training state, which a new run would overwrite.
void check_no_weights(const path& directory) {
  for (const path& file : files_in(directory)) {
    if (!is_named(file, kWeights) && !train::is_snapshot(file)) continue;
    throw UsageError(fmt::format(
        "{3} {0}: nothing to resume: the folder has weights ({1}), but no {2}. To start from these "
        "weights, give another folder and {4} training.init_from={0}; to replace them, give {5}",
        directory.string(), file.filename().string(), names::kLastState, option_name("output"),
        option_name("set"), option_name("overwrite")));
  }
}

std::vector<path> tokenizer_paths(const path& directory, bool joint) {
  if (joint) return {directory / names::kJointPieces};
  return {directory / names::kSourcePieces, directory / names::kTargetPieces};
}

/// The error message for a folder in which tokenizers are missing.
std::string no_tokenizer(const path& directory) {
  for (const auto& [there, missing] : {std::pair{names::kSourcePieces, names::kTargetPieces},
                                       std::pair{names::kTargetPieces, names::kSourcePieces}}) {
    if (std::filesystem::exists(directory / there))
      return fmt::format("has {} but no {}; a model needs both", there, missing);
  }
  return fmt::format("has no tokenizer: neither {} nor {} and {}; is this a model folder?",
                     names::kJointPieces, names::kSourcePieces, names::kTargetPieces);
}

void make_directory(const path& directory) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error) throw DataError(directory, "cannot create the folder: " + error.message());
}

/// The absolute name, as in configs, so that files in the folder can be written relative to it.
std::string full_name(const path& file) {
  return std::filesystem::absolute(file).lexically_normal().string();
}

}  // namespace

path default_output(const path& config) {
  return path("runs") / config.stem();
}

path full_folder_name(const path& directory) {
  const path full = std::filesystem::absolute(directory).lexically_normal();
  return full.has_filename() ? full : full.parent_path();
}

train::RunFiles run_files(const path& directory) {
  return {.folder = directory,
          .best = directory / names::kBestWeights,
          .last = directory / names::kLastWeights,
          .state = directory / names::kLastState,
          .history = directory / names::kHistory};
}

bool has_state(const path& directory) {
  // A state that cannot be opened counts as present; reading it reports the error.
  const auto is_there = [&](const char* name) {
    std::error_code ignored;
    return std::filesystem::status(directory / name, ignored).type() !=
           std::filesystem::file_type::not_found;
  };
  return is_there(names::kLastState) || is_there(names::kPreviousState);
}

double size_of_run(const path& directory) {
  double bytes = 0.0;
  if (!std::filesystem::is_directory(directory)) return bytes;
  for (const path& file : files_in(directory)) {
    std::error_code unknown;
    const auto size = is_of_a_run(file) ? std::filesystem::file_size(file, unknown) : 0;
    if (!unknown) bytes += static_cast<double>(size);
  }
  return bytes;
}

void check_output(const path& directory, const path& config, IfExists if_exists) {
  std::error_code error;
  if (!std::filesystem::exists(directory, error)) return;
  if (!std::filesystem::is_directory(directory, error)) {
    throw UsageError(
        fmt::format("{} {}: is a file; give a folder", option_name("output"), directory.string()));
  }
  if (if_exists == IfExists::kLeaveAlone) return;
  if (if_exists == IfExists::kRefuse) return check_unused(directory);
  if (if_exists == IfExists::kResume) {
    if (has_state(directory)) return;
    check_no_weights(directory);
  }
  check_replaceable(directory, config);
}

void remove_unfinished_files(const path& directory) {
  for (const path& file : files_in(directory)) {
    const auto finished = temporary_target(file);
    if (finished && is_of_a_run(*finished)) remove_leftover(file);
  }
}

Experiment start_directory(const path& directory, Experiment experiment,
                           const std::vector<std::string>& tokenizer_models) {
  make_directory(directory);
  remove_earlier_run(directory);
  const std::vector<path> paths = tokenizer_paths(directory, experiment.tokenizer.joint);
  experiment.tokenizer.model.clear();
  for (std::size_t i = 0; i < paths.size(); ++i) {
    write_file_atomically(paths[i], tokenizer_models.at(i));
    experiment.tokenizer.model.push_back(full_name(paths[i]));
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
    if (!std::filesystem::exists(file)) throw ModelFileError(directory, no_tokenizer(directory));
    files.push_back(full_name(file));
  }
  return files;
}

std::vector<std::string> tokenizer_bytes(const path& directory) {
  std::vector<std::string> bytes;
  for (const std::string& file : tokenizer_files(directory)) bytes.push_back(read_file(file));
  return bytes;
}

}  // namespace attend::app
