#pragma once
#include <string>

#include "train/observer.h"

namespace attend::train {

/// The error of a run that skipped more updates in a row than `allowed`: update, loss, gradient,
/// the last batches, and what to try.
[[nodiscard]] std::string non_finite_message(const SkipReport& report, int64_t allowed);

/// The error of a run that has no checkpoint yet after `update` updates, and cannot save one
/// because its weights are not finite.
[[nodiscard]] std::string non_finite_start_message(int64_t update);

/// The error of a run whose weights are not finite at its end, after `update` updates.
[[nodiscard]] std::string non_finite_end_message(int64_t update);

}  // namespace attend::train
