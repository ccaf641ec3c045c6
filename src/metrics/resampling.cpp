#include "metrics/resampling.h"

#include <algorithm>
#include <numeric>

#include "core/random.h"
#include "core/signal.h"

namespace attend::metrics {
namespace {

Statistics sum_of(const CorpusStatistics& statistics, std::span<const std::size_t> sample,
                  std::size_t width) {
  Statistics total(width, 0.0);
  for (const std::size_t segment : sample) {
    const auto row = statistics.row(segment);
    for (std::size_t i = 0; i < width; ++i) total[i] += row[i];
  }
  return total;
}

}  // namespace

Interval confidence_interval(std::vector<double> scores) {
  std::ranges::sort(scores);
  const std::size_t cut = scores.size() / 40;
  const double sum = std::accumulate(scores.begin(), scores.end(), 0.0);
  return {.mean = sum / static_cast<double>(scores.size()),
          .half_width = 0.5 * (scores[scores.size() - cut - 1] - scores[cut])};
}

std::vector<std::vector<double>> bootstrap_scores(const Scorer& scorer,
                                                  std::span<const CorpusStatistics> systems,
                                                  const Trials& trials) {
  Random random = stream(trials.seed, "bootstrap");
  std::vector<std::vector<double>> scores(systems.size());
  std::vector<std::size_t> sample(systems.empty() ? 0 : systems.front().segments());
  for (std::size_t t = 0; t < trials.number; ++t) {
    stop_if_requested("stopped by a signal");
    for (std::size_t& segment : sample) segment = random.below(sample.size());
    for (std::size_t s = 0; s < systems.size(); ++s) {
      const auto total = sum_of(systems[s], sample, scorer.statistics_size());
      scores[s].push_back(scorer.score(total).value);
    }
  }
  return scores;
}

}  // namespace attend::metrics
