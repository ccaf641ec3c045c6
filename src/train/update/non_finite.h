#pragma once
#include <span>
#include <string>

#include "data/batch.h"
#include "train/observer.h"

namespace attend::train {

/// What the batches of an update were: "lines 3, 8 of the training text, of up to 20 source and 24
/// target pieces".
[[nodiscard]] std::string describe_batches(std::span<const data::Batch> batches);

/// What ends a run that left out more updates in a row than `allowed`: update, loss, gradient, the
/// last batches, and what to try.
[[nodiscard]] std::string non_finite_message(const SkipReport& report, int64_t allowed);

/// What the user is told where a run has no checkpoint yet, after `update` updates, and its weights
/// are not finite, so that it cannot have one.
[[nodiscard]] std::string spoilt_start_message(int64_t update);

/// The same where the run is at its end, after `update` updates.
[[nodiscard]] std::string spoilt_end_message(int64_t update);

}  // namespace attend::train
