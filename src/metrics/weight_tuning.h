#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "metrics/metric.h"

namespace attend::metrics {

/// One of several translations of a sentence.
struct Candidate {
  std::vector<double> features;  ///< of a linear model
  Statistics statistics;         ///< of the metric, against the reference
};

/// The candidates of each sentence; none is empty, and all have the same number of features.
using CandidateLists = std::vector<std::vector<Candidate>>;

/// The index of the candidate with the highest weighted sum of features; the first one of a tie.
[[nodiscard]] std::size_t best_candidate(std::span<const Candidate> candidates,
                                         std::span<const double> weights);

/// The corpus score of the candidates selected by `weights`.
[[nodiscard]] double score_of_choice(const Scorer& metric, const CandidateLists& lists,
                                     std::span<const double> weights);

/// The best point on a line of weights.
struct LinePoint {
  double step = 0.0;
  double score = 0.0;
};

/// The step t for which the candidates selected by weights + t * direction have the highest corpus
/// score; if several do, the one nearest to 0. The search is exact: it examines every step at which
/// the choice of a sentence changes (Och 2003, "Minimum Error Rate Training", Sec. 4).
[[nodiscard]] LinePoint best_step(const Scorer& metric, const CandidateLists& lists,
                                  std::span<const double> weights,
                                  std::span<const double> direction);

struct TunedWeights {
  std::vector<double> weights;  ///< absolute values sum to 1, unless all are 0
  double score = 0.0;           ///< of the candidates that the weights select
};

/// Tunes weights by hill climbing from `start` and from random points, along single features and
/// random directions, and returns the best result. It is not worse than `start`. Deterministic.
/// Throws Stopped after a signal. Requires: at least one list, each with a candidate.
[[nodiscard]] TunedWeights tune_weights(const Scorer& metric, const CandidateLists& lists,
                                        const std::vector<double>& start);

}  // namespace attend::metrics
