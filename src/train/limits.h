#pragma once
#include <string>

#include "train/options.h"
#include "train/run_state.h"

namespace attend::train {

inline constexpr double kSecondsPerMinute = 60.0;

/// Returns why training ends here ("max_updates 1000 reached", "no new best in 8 validations");
/// empty if it continues.
[[nodiscard]] std::string end_reason(const TrainingOptions& options, const RunState& state);

/// The share of the run that is done, 0 .. 1, measured by the limit that is nearest; 0 without a
/// limit. Ignores patience. `epochs`: passes over the data so far, with fractions.
[[nodiscard]] double share_done(const TrainingOptions& options, const RunState& state,
                                double epochs);

/// True if training.validate_every requires a validation now and it has not been done yet.
[[nodiscard]] bool validation_due(const ValidateEvery& every, const RunState& state);

/// True if training.save_every requires a checkpoint now. `last_save`: RunState::seconds at the
/// last checkpoint.
[[nodiscard]] bool save_due(const SaveEvery& every, const RunState& state, double last_save);

}  // namespace attend::train
