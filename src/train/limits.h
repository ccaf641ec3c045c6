#pragma once
#include <string>

#include "train/options.h"
#include "train/run_state.h"

namespace attend::train {

inline constexpr double kSecondsPerMinute = 60.0;

/// Why training ends here ("max_updates 1000 reached", "no new best in 8 validations"); empty if it
/// goes on.
[[nodiscard]] std::string end_reason(const TrainingOptions& options, const RunState& state);

/// How much of the run is done, 0 .. 1, by the limit that is nearest; 0 without a limit. Patience
/// is not foreseen. `epochs`: passes over the data so far, with fractions.
[[nodiscard]] double share_done(const TrainingOptions& options, const RunState& state,
                                double epochs);

/// Whether training.validate_every asks for a validation after the updates made so far, and it has
/// not been done.
[[nodiscard]] bool validation_due(const ValidateEvery& every, const RunState& state);

/// Whether training.save_every asks for a checkpoint now; `last_save`: RunState::seconds at the
/// last one.
[[nodiscard]] bool save_due(const SaveEvery& every, const RunState& state, double last_save);

}  // namespace attend::train
