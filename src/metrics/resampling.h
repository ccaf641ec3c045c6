#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "metrics/metric.h"

namespace attend::metrics {

/// How many random samples to take, and from which seed.
struct Trials {
  std::size_t number = 1000;
  uint64_t seed = 1;
};

/// A mean and how far the interval around it reaches to either side.
struct Interval {
  double mean = 0.0;
  double half_width = 0.0;
};

/// The mean of resampled scores and half the distance between the scores that cut off n/40 (rounded
/// down) at each end: the 95 % interval of sacreBLEU 2.x. Requires: not empty.
[[nodiscard]] Interval confidence_interval(std::vector<double> scores);

/// Scores of several systems on bootstrap samples of the segments (drawn with replacement, as many
/// as there are; Koehn 2004): one vector per system, one score per sample. All systems see the same
/// samples. The statistics are only added up, never computed again.
/// Requires: the systems have equally many segments. Throws Stopped after a signal.
[[nodiscard]] std::vector<std::vector<double>> bootstrap_scores(
    const Scorer& scorer, std::span<const CorpusStatistics> systems, const Trials& trials);

}  // namespace attend::metrics
