#pragma once
#include <torch/types.h>

#include <filesystem>
#include <map>
#include <string>

#include "train/run_state.h"
#include "train/update/flat_parameters.h"

namespace attend::train {

/// Tensors that a run goes on from, under their names: parameters, optimiser statistics, averages.
using StateTensors = std::map<std::string, torch::Tensor>;

/// The generation before `state` (last.state): previous.state in the same folder.
[[nodiscard]] std::filesystem::path previous_state(const std::filesystem::path& state);

/// Writes last.state: everything that resuming needs, the parameters included, so that it does not
/// depend on another file of the same moment. Atomic; the file that was there becomes the previous
/// generation once the new one was read back and found whole. Throws DataError.
void save_state(const std::filesystem::path& path, const RunState& state,
                const StateTensors& tensors, const FlatParameters& parameters);

/// The counters of last.state alone, without reading its tensors. Throws ModelFileError.
[[nodiscard]] RunState load_counters(const std::filesystem::path& path);

/// A state to go on from.
struct LoadedState {
  RunState state;
  std::string damage;  ///< why it is the previous generation; empty: it is the newest
};

/// Reads last.state into `tensors`, in place, or the previous generation if that one is missing or
/// damaged; a damaged one gets another name, so that it never becomes the previous generation.
/// Throws ModelFileError if none can be read, or if the state was written by another version or by
/// a run whose parameters or optimiser are not those of this one.
[[nodiscard]] LoadedState load_state(const std::filesystem::path& path, const StateTensors& tensors,
                                     const FlatParameters& parameters);

}  // namespace attend::train
