#pragma once
#include <torch/types.h>

#include <filesystem>
#include <map>
#include <string>

#include "train/flat_parameters.h"
#include "train/run_state.h"

namespace attend::train {

/// Tensors that a run goes on from, under their names: parameters, optimiser statistics, averages.
using StateTensors = std::map<std::string, torch::Tensor>;

/// Writes last.state: everything that resuming needs, the parameters included, so that it does not
/// depend on another file of the same moment. Atomic. Throws DataError.
void save_state(const std::filesystem::path& path, const RunState& state,
                const StateTensors& tensors, const FlatParameters& parameters);

/// Reads last.state into `tensors`, in place. Throws ModelFileError if the file is damaged, or was
/// written by a run whose parameters or optimiser are not those of this one.
[[nodiscard]] RunState load_state(const std::filesystem::path& path, const StateTensors& tensors,
                                  const FlatParameters& parameters);

}  // namespace attend::train
