#pragma once
#include <filesystem>
#include <string>

#include "train/run_state.h"

namespace attend::train {

/// Returns why `file` no longer holds the best weights of the run in `state`: it is missing or
/// damaged. Empty if it holds them, if the run has none yet, or if it holds those of a later
/// validation that `state` does not record (the process was killed between the two; the resumed run
/// repeats that validation). `scored`: the run has a validation set. Throws ModelFileError if the
/// file cannot be read for the moment, and if it holds other weights, which the run would
/// overwrite.
[[nodiscard]] std::string lost_best_weights(const std::filesystem::path& file,
                                            const RunState& state, bool scored);

}  // namespace attend::train
