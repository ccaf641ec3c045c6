#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "metrics/metric.h"

namespace attend::metrics {

/// A translation among several of one sentence.
struct Candidate {
  std::vector<double> features;  ///< what a linear model weighs
  Statistics statistics;         ///< of the metric, against the reference
};

/// The candidates of each sentence; none is empty, and all have the same number of features.
using CandidateLists = std::vector<std::vector<Candidate>>;

/// The place of the candidate whose weighted sum of features is highest; of equals the first.
[[nodiscard]] std::size_t best_candidate(std::span<const Candidate> candidates,
                                         std::span<const double> weights);

/// The corpus score of the candidates that these weights choose.
[[nodiscard]] double score_of_choice(const Scorer& metric, const CandidateLists& lists,
                                     std::span<const double> weights);

/// The best point on a line of weights.
struct LinePoint {
  double step = 0.0;
  double score = 0.0;
};

/// The step t for which the candidates chosen by weights + t * direction have the highest corpus
/// score: exact, by the steps at which the choice of a sentence changes (Och 2003, "Minimum Error
/// Rate Training", Sec. 4). Of equal scores the t nearest to 0.
[[nodiscard]] LinePoint best_step(const Scorer& metric, const CandidateLists& lists,
                                  std::span<const double> weights,
                                  std::span<const double> direction);

struct TunedWeights {
  std::vector<double> weights;  ///< of absolute sum 1, unless all are 0
  double score = 0.0;           ///< of the candidates that they choose
};

/// Weights of which no step along a feature or along one of some random directions makes the corpus
/// score better, the best of climbs from `start` and from random points: not worse than `start`.
/// The same result for the same arguments. Throws Stopped after a signal.
[[nodiscard]] TunedWeights tune_weights(const Scorer& metric, const CandidateLists& lists,
                                        const std::vector<double>& start);

}  // namespace attend::metrics
