#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "metrics/metric.h"

namespace attend::metrics {

/// The number of random samples and their seed.
struct Trials {
  std::size_t number = 1000;
  uint64_t seed = 1;
};

/// An interval mean +- half_width.
struct Interval {
  double mean = 0.0;
  double half_width = 0.0;
};

/// The 95 % interval of n resampled scores, as in sacreBLEU 2.x: their mean, and half the distance
/// between the lowest and the highest score after removing n/40 (rounded down) scores at each end.
/// Requires: n > 0.
[[nodiscard]] Interval confidence_interval(std::vector<double> scores);

/// Scores of several systems on bootstrap samples of the segments (as many segments as the corpus,
/// drawn with replacement; Koehn 2004): one vector per system, one score per sample. All systems
/// share the same samples. Adds up existing statistics instead of recomputing them.
/// Requires: the systems have equally many segments. Throws Stopped after a signal.
[[nodiscard]] std::vector<std::vector<double>> bootstrap_scores(
    const Scorer& scorer, std::span<const CorpusStatistics> systems, const Trials& trials);

}  // namespace attend::metrics
