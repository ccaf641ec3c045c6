#pragma once
#include "train/observer.h"
#include "train/run_state.h"
#include "train/update/updater.h"

namespace attend::train {

/// Adds an applied update.
void add_update(Interval& interval, const UpdateResult& result);

/// Returns means and sums over `interval`, which ended at `point` with this learning rate. Means
/// are NaN if all updates were skipped.
[[nodiscard]] IntervalReport report_of(const Interval& interval, const RunPoint& point,
                                       double learning_rate);

}  // namespace attend::train
