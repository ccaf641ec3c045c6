#pragma once
#include <optional>
#include <span>
#include <vector>

#include "metrics/metric.h"
#include "metrics/resampling.h"

namespace attend::metrics {

/// The result of a paired test for one system.
struct TestedScore {
  double score = 0.0;
  /// The probability of a difference from the baseline as large as the observed one if both outputs
  /// came from the same system; unset for the baseline itself.
  std::optional<double> p_value;
  std::optional<Interval> interval;  ///< of bootstrap samples
};

/// Paired bootstrap resampling (Koehn 2004) of every system against the first, as sacreBLEU 2.x
/// does it. With d_t the absolute difference in sample t and D the one on the whole corpus,
///   p = (1 + #{t: d_t - mean(d) > D}) / (1 + samples).
/// Unlike in sacreBLEU, p is 1 for a system whose statistics equal the baseline's in every segment.
/// Requires: the systems have equally many segments. Throws Stopped after a signal.
[[nodiscard]] std::vector<TestedScore> paired_bootstrap(const Scorer& scorer,
                                                        std::span<const CorpusStatistics> systems,
                                                        const Trials& trials);

/// Paired two-sided approximate randomization (Riezler & Maxwell 2005), as sacreBLEU 2.x does it.
/// Every trial swaps each segment's outputs between baseline and system with probability 1/2. With
/// D the absolute difference of the scores before swapping,
///   p = (1 + #{trials: absolute difference > D}) / (1 + trials).
/// If the statistics of all segments are equal, p is 1. Gives no intervals. May throw Stopped.
[[nodiscard]] std::vector<TestedScore> paired_randomization(
    const Scorer& scorer, std::span<const CorpusStatistics> systems, const Trials& trials);

}  // namespace attend::metrics
