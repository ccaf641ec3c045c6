#pragma once
#include <span>
#include <string>

#include "data/batch.h"
#include "train/observer.h"

namespace attend::train {

/// What ends a run that left out too many updates in a row: update, loss, gradient, lines and
/// lengths of the last batches, and what to try.
[[nodiscard]] std::string non_finite_message(const SkipReport& report,
                                             std::span<const data::Batch> batches);

}  // namespace attend::train
