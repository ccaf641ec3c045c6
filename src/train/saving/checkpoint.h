#pragma once
#include <torch/types.h>

#include <filesystem>
#include <map>
#include <string>

#include "train/run_state.h"
#include "train/update/flat_parameters.h"

namespace attend::train {

/// The tensors needed to resume, by name: parameters, optimiser statistics, averages.
using StateTensors = std::map<std::string, torch::Tensor>;

/// The generation before `state` (last.state): previous.state in the same folder.
[[nodiscard]] std::filesystem::path previous_state(const std::filesystem::path& state);

/// Writes last.state: everything needed to resume, including the parameters, so that it does not
/// depend on another file of the same moment. Atomic; the old file becomes the previous generation
/// once the new one was read back and found intact. Throws DataError.
void save_state(const std::filesystem::path& path, const RunState& state,
                const StateTensors& tensors, const FlatParameters& parameters);

/// Reads the counters of last.state without its tensors. Throws ModelFileError.
[[nodiscard]] RunState load_counters(const std::filesystem::path& path);

/// A state to resume from.
struct LoadedState {
  RunState state;
  std::string damage;  ///< why this is the previous generation; empty: the newest
};

/// Reads last.state into `tensors`, in place, or the previous generation if that file is missing or
/// damaged; a damaged file is renamed, so that it never becomes the previous generation. Throws
/// ModelFileError if neither can be read, if the newest exists but cannot be read (rights, I/O
/// errors), or if the state was written by another version or by a run with other parameters or
/// another optimiser.
[[nodiscard]] LoadedState load_state(const std::filesystem::path& path, const StateTensors& tensors,
                                     const FlatParameters& parameters);

}  // namespace attend::train
