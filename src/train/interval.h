#pragma once
#include "train/observer.h"
#include "train/run_state.h"
#include "train/update/updater.h"

namespace attend::train {

/// Counts an update that was applied.
void add_update(Interval& interval, const UpdateResult& result);

/// Means and sums over `interval`, which ended at `point` with that learning rate. Means are NaN
/// where all of its updates were left out.
[[nodiscard]] IntervalReport report_of(const Interval& interval, const RunPoint& point,
                                       double learning_rate);

}  // namespace attend::train
