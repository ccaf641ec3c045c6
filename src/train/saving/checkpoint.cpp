#include "train/saving/checkpoint.h"

#include <torch/utils.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "core/error.h"
#include "storage/weights_file.h"
#include "train/saving/readable_file.h"

namespace attend::train {
namespace {

using std::filesystem::path;

constexpr auto kStateKey = "state";
constexpr auto kLayoutKey = "layout";

RunState parse_state(const path& file, const std::string& text) {
  try {
    const RunState state = nlohmann::json::parse(text).get<RunState>();
    if (!state.is_valid()) throw ModelFileError(file, "a counter is negative");
    return state;
  } catch (const nlohmann::json::exception& error) {
    throw ModelFileError(file, std::string("cannot read its counters: ") + error.what());
  }
}

const std::string& entry(const path& file, const std::map<std::string, std::string>& metadata,
                         const char* key) {
  const auto found = metadata.find(key);
  if (found != metadata.end()) return found->second;
  throw ModelFileError(file, "not the state of a run (perhaps it holds weights only)");
}

void copy_tensors(const path& file, const StateTensors& saved, const StateTensors& tensors) {
  const torch::NoGradGuard no_grad;
  for (const auto& [name, tensor] : tensors) {
    const auto found = saved.find(name);
    if (found == saved.end() || found->second.sizes() != tensor.sizes()) {
      throw ModelFileError(file, "it has no matching " + name +
                                     "; resume with the optimizer, ema and model settings that "
                                     "the run was started with");
    }
    tensor.copy_(found->second);
  }
}

/// Restores from an undamaged file.
RunState restore(const path& file, const storage::TensorFile& content, const StateTensors& tensors,
                 const FlatParameters& parameters) {
  if (entry(file, content.metadata, kLayoutKey) != parameters.layout()) {
    throw ModelFileError(file,
                         "it belongs to a model of another shape; resume with the config and "
                         "vocabulary that the run was started with");
  }
  RunState state = parse_state(file, entry(file, content.metadata, kStateKey));
  copy_tensors(file, content.tensors, tensors);
  return state;
}

using Failure = std::optional<ModelFileError>;

/// Reads the state. If that fails, returns nothing and sets `failure`.
std::optional<storage::TensorFile> try_to_load(const path& file, Failure& failure) {
  try {
    return storage::load_tensors(file);
  } catch (const storage::VersionError&) {
    throw;
  } catch (const ModelFileError& error) {
    failure = error;
    return std::nullopt;
  }
}

/// Returns nothing if the previous generation cannot be read either.
std::optional<storage::TensorFile> load_previous(const path& file) {
  try {
    return storage::load_tensors(previous_state(file));
  } catch (const storage::VersionError&) {
    throw;
  } catch (const ModelFileError&) {
    return std::nullopt;
  }
}

void rename_damaged(const path& file) {
  if (!std::filesystem::exists(file)) return;
  const path aside = file.string() + ".damaged";
  std::error_code error;
  std::filesystem::rename(file, aside, error);
  if (error) throw DataError(file, "cannot rename the damaged file: " + error.message());
}

}  // namespace

path previous_state(const path& state) {
  return state.parent_path() / ("previous" + state.extension().string());
}

void save_state(const path& file, const RunState& state, const StateTensors& tensors,
                const FlatParameters& parameters) {
  storage::save_tensors(
      file,
      {tensors, {{kStateKey, nlohmann::json(state).dump()}, {kLayoutKey, parameters.layout()}}},
      previous_state(file));
}

RunState load_counters(const path& file) {
  return parse_state(file, entry(file, storage::load_metadata(file), kStateKey));
}

LoadedState load_state(const path& file, const StateTensors& tensors,
                       const FlatParameters& parameters) {
  Failure failure;
  auto content = try_to_load(file, failure);
  if (!content) {
    check_can_be_read(file, "resume from " + previous_state(file).filename().string());
    content = try_to_load(file, failure);  // it may have been unreadable for a moment only
  }
  if (content) return {restore(file, *content, tensors, parameters), ""};
  content = load_previous(file);
  if (!content) throw *failure;
  const RunState state = restore(previous_state(file), *content, tensors, parameters);
  rename_damaged(file);
  return {state, failure->what()};
}

}  // namespace attend::train
