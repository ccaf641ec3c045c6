#include "train/saving/kept_weights.h"

#include <algorithm>

#include "train/saving/saved_weights.h"
#include "train/saving/snapshots.h"

namespace attend::train {

Merit KeptWeights::merit(const ValidationReport& report) const {
  return merit_of(report.result, parts_.options.validation.metric);
}

bool KeptWeights::write_best(const ValidationReport& report) {
  return parts_.policy.attempt(report.point, [&] {
    save_weights(parts_.files.best, parts_.model, report, merit(report).score);
  });
}

bool KeptWeights::keep_best(const ValidationReport& report, const std::string& dev_text) {
  RunState& state = parts_.state;
  const BestSoFar before = state.best;
  state.judged_by = dev_text;
  if (!state.best.add(merit(report), state.update, parts_.options.decay.patience)) return false;
  if (write_best(report)) return true;
  state.best = before;   // only weights in the file count as the best
  state.validated = -1;  // the run may validate these again and write them later
  return false;
}

bool KeptWeights::keep_average(const ValidationReport& report) {
  RunState& state = parts_.state;
  const Merit of_average = merit(report);
  if (!of_average.is_better_than(state.best.merit) || !write_best(report)) return false;
  state.best.merit = of_average;
  state.best.update = state.update;
  return true;
}

void KeptWeights::keep_snapshot(const ValidationReport& report) {
  const SnapshotCounts& keep = parts_.options.keep;
  const SnapshotCounts& average = parts_.options.average;
  if (std::max({keep.last, keep.best, average.last, average.best}) == 0) return;
  parts_.policy.attempt(report.point, [&] {
    const auto file = snapshot_path(parts_.files.folder, parts_.state.update);
    save_weights(file, parts_.model, report, merit(report).score);
    prune_snapshots(parts_.files.folder, keep, average);
  });
}

bool KeptWeights::keep_unmeasured(const RunPoint& point) {
  return parts_.policy.attempt(point,
                               [&] { save_weights(parts_.files.best, parts_.model, point); });
}

}  // namespace attend::train
