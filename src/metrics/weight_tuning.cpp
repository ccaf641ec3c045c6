#include "metrics/weight_tuning.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include "core/random.h"
#include "core/signal.h"

namespace attend::metrics {
namespace {

using Weights = std::vector<double>;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double weighted_sum(const Candidate& candidate, std::span<const double> weights) {
  return std::inner_product(weights.begin(), weights.end(), candidate.features.begin(), 0.0);
}

/// A candidate, and the smallest step at which it is the best of its sentence.
struct Turn {
  double step = -kInfinity;
  std::size_t candidate = 0;
};

/// A candidate's weighted sum as a function of the step.
struct ScoreLine {
  double intercept = 0.0;
  double slope = 0.0;
  std::size_t candidate = 0;
};

/// The score lines, sorted by slope; parallel lines by descending intercept, then by candidate.
std::vector<ScoreLine> lines_of(std::span<const Candidate> candidates,
                                std::span<const double> weights,
                                std::span<const double> direction) {
  std::vector<ScoreLine> lines;
  for (const Candidate& candidate : candidates) {
    lines.push_back(
        {weighted_sum(candidate, weights), weighted_sum(candidate, direction), lines.size()});
  }
  std::ranges::stable_sort(lines, [](const ScoreLine& a, const ScoreLine& b) {
    return a.slope != b.slope ? a.slope < b.slope : a.intercept > b.intercept;
  });
  return lines;
}

/// The upper envelope of the lines: the best candidates from the smallest step to the largest.
std::vector<Turn> turns_of(std::span<const ScoreLine> lines) {
  std::vector<ScoreLine> upper;
  std::vector<Turn> turns;
  for (const ScoreLine& line : lines) {
    if (!upper.empty() && upper.back().slope == line.slope) continue;
    Turn turn{-kInfinity, line.candidate};
    while (!upper.empty()) {
      const ScoreLine& last = upper.back();
      turn.step = (last.intercept - line.intercept) / (line.slope - last.slope);
      if (turn.step > turns.back().step) break;
      upper.pop_back();
      turns.pop_back();
      turn.step = -kInfinity;
    }
    upper.push_back(line);
    turns.push_back(turn);
  }
  return turns;
}

/// A change of the best candidate of one sentence.
struct Change {
  double step = 0.0;
  const Statistics* before = nullptr;
  const Statistics* after = nullptr;
};

/// The best candidates at every step: their summed statistics at step -infinity, and all changes.
struct Sweep {
  Statistics first;
  std::vector<Change> changes;  // by step
};

Sweep sweep_of(const Scorer& metric, const CandidateLists& lists, std::span<const double> weights,
               std::span<const double> direction) {
  Sweep sweep{Statistics(metric.statistics_size(), 0.0), {}};
  for (const std::vector<Candidate>& candidates : lists) {
    const std::vector<Turn> turns = turns_of(lines_of(candidates, weights, direction));
    const Statistics* before = &candidates[turns.front().candidate].statistics;
    std::ranges::transform(sweep.first, *before, sweep.first.begin(), std::plus());
    for (std::size_t i = 1; i < turns.size(); ++i) {
      const Statistics* after = &candidates[turns[i].candidate].statistics;
      sweep.changes.push_back({turns[i].step, before, after});
      before = after;
    }
  }
  std::ranges::stable_sort(sweep.changes, {}, &Change::step);
  return sweep;
}

/// The middle of begin .. end, because weights near an end, where a candidate barely wins,
/// generalise badly.
double point_between(double begin, double end) {
  if (begin == -kInfinity && end == kInfinity) return 0.0;
  if (begin == -kInfinity) return end - std::max(1.0, std::abs(end));
  if (end == kInfinity) return begin + std::max(1.0, std::abs(begin));
  return (begin + end) / 2.0;
}

bool is_better(const LinePoint& point, const LinePoint& best) {
  if (point.score != best.score) return point.score > best.score;
  return std::abs(point.step) < std::abs(best.step);
}

/// Moves `from` by `step` along `direction`.
Weights moved(Weights from, std::span<const double> direction, double step) {
  for (std::size_t i = 0; i < from.size(); ++i) from[i] += step * direction[i];
  return from;
}

/// The standard deviation of each feature within the lists; 1 where it never varies.
Weights spreads_of(const CandidateLists& lists) {
  const std::size_t features = lists.front().front().features.size();
  Weights spreads(features, 0.0);
  for (std::size_t i = 0; i < features; ++i) {
    double squares = 0.0;
    double count = 0.0;
    for (const std::vector<Candidate>& candidates : lists) {
      double sum = 0.0;
      for (const Candidate& candidate : candidates) sum += candidate.features[i];
      const double mean = sum / static_cast<double>(candidates.size());
      for (const Candidate& candidate : candidates)
        squares += (candidate.features[i] - mean) * (candidate.features[i] - mean);
      count += static_cast<double>(candidates.size());
    }
    spreads[i] = squares > 0.0 ? std::sqrt(squares / count) : 1.0;
  }
  return spreads;
}

/// Draws each weight uniformly from -1 .. 1 and divides it by the spread of its feature.
Weights random_weights(Random& random, const Weights& spreads) {
  Weights weights;
  for (const double spread : spreads) weights.push_back((2.0 * random.uniform() - 1.0) / spread);
  return weights;
}

/// Returns two directions per feature: its axis, and a random direction.
std::vector<Weights> directions_of(Random& random, const Weights& spreads) {
  std::vector<Weights> directions;
  for (std::size_t i = 0; i < spreads.size(); ++i) {
    directions.push_back(random_weights(random, spreads));
    directions.emplace_back(spreads.size(), 0.0);
    directions.back()[i] = 1.0;
  }
  return directions;
}

/// Repeats the best step along every direction until the score stops improving.
TunedWeights climb(const Scorer& metric, const CandidateLists& lists, Weights start, Random& random,
                   const Weights& spreads) {
  constexpr double kLeastGain = 1e-6;
  TunedWeights best{std::move(start), 0.0};
  best.score = score_of_choice(metric, lists, best.weights);
  for (bool improved = true; improved;) {
    improved = false;
    for (const Weights& direction : directions_of(random, spreads)) {
      stop_if_requested("stopped by a signal");
      const LinePoint point = best_step(metric, lists, best.weights, direction);
      Weights weights = moved(best.weights, direction, point.step);
      // The score is computed again: rounding may decide between almost equal candidates.
      const double score = score_of_choice(metric, lists, weights);
      if (score < best.score + kLeastGain) continue;
      best = {std::move(weights), score};
      improved = true;
    }
  }
  return best;
}

/// Scales the weights to absolute sum 1, which selects the same candidates except for rounding.
TunedWeights scaled(const Scorer& metric, const CandidateLists& lists, TunedWeights tuned) {
  double sum = 0.0;
  for (const double weight : tuned.weights) sum += std::abs(weight);
  if (sum == 0.0) return tuned;
  for (double& weight : tuned.weights) weight /= sum;
  tuned.score = score_of_choice(metric, lists, tuned.weights);
  return tuned;
}

}  // namespace

std::size_t best_candidate(std::span<const Candidate> candidates, std::span<const double> weights) {
  std::size_t best = 0;
  double highest = -kInfinity;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const double sum = weighted_sum(candidates[i], weights);
    if (sum <= highest) continue;
    highest = sum;
    best = i;
  }
  return best;
}

double score_of_choice(const Scorer& metric, const CandidateLists& lists,
                       std::span<const double> weights) {
  Statistics sum(metric.statistics_size(), 0.0);
  for (const std::vector<Candidate>& candidates : lists) {
    const Statistics& chosen = candidates[best_candidate(candidates, weights)].statistics;
    std::ranges::transform(sum, chosen, sum.begin(), std::plus());
  }
  return metric.score(sum).value;
}

LinePoint best_step(const Scorer& metric, const CandidateLists& lists,
                    std::span<const double> weights, std::span<const double> direction) {
  Sweep sweep = sweep_of(metric, lists, weights, direction);
  Statistics& sum = sweep.first;
  LinePoint best{0.0, -kInfinity};
  double begin = -kInfinity;
  const auto consider = [&](double end) {
    const LinePoint point{point_between(begin, end), metric.score(sum).value};
    if (end > begin && is_better(point, best)) best = point;
    begin = end;
  };
  for (const Change& change : sweep.changes) {
    if (change.step > begin) consider(change.step);
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += (*change.after)[i] - (*change.before)[i];
  }
  consider(kInfinity);
  return best;
}

TunedWeights tune_weights(const Scorer& metric, const CandidateLists& lists,
                          const std::vector<double>& start) {
  constexpr uint64_t kOtherStarts = 8;
  const Weights spreads = spreads_of(lists);
  Random random = stream(1, "weights of a linear model");
  TunedWeights best = climb(metric, lists, start, random, spreads);
  for (uint64_t i = 0; i < kOtherStarts; ++i) {
    TunedWeights other = climb(metric, lists, random_weights(random, spreads), random, spreads);
    if (other.score > best.score) best = std::move(other);
  }
  return scaled(metric, lists, std::move(best));
}

}  // namespace attend::metrics
