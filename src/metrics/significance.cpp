#include "metrics/significance.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/random.h"
#include "core/signal.h"

namespace attend::metrics {
namespace {

constexpr std::size_t kBits = 64;

double p_value(std::span<const double> differences, double found) {
  const auto larger =
      std::ranges::count_if(differences, [found](double value) { return value > found; });
  return static_cast<double>(larger + 1) / static_cast<double>(differences.size() + 1);
}

bool are_equal(const CorpusStatistics& a, const CorpusStatistics& b) {
  for (std::size_t i = 0; i < a.segments(); ++i) {
    if (!std::ranges::equal(a.row(i), b.row(i))) return false;
  }
  return true;
}

std::vector<TestedScore> corpus_scores(const Scorer& scorer,
                                       std::span<const CorpusStatistics> systems) {
  std::vector<TestedScore> tested;
  for (const CorpusStatistics& system : systems) {
    tested.push_back({scorer.score(system.sum()).value, std::nullopt, std::nullopt});
  }
  return tested;
}

// The differences |a[i] - b[i]| of all samples, minus their mean.
std::vector<double> centred_differences(std::span<const double> a, std::span<const double> b) {
  std::vector<double> differences;
  for (std::size_t t = 0; t < a.size(); ++t) differences.push_back(std::abs(a[t] - b[t]));
  const double sum = std::accumulate(differences.begin(), differences.end(), 0.0);
  for (double& difference : differences) difference -= sum / static_cast<double>(a.size());
  return differences;
}

// Swaps the outputs of random segments between a baseline and a system. difference() is the
// absolute difference of their scores.
class Shuffling {
 public:
  Shuffling(const Scorer& scorer, const CorpusStatistics& baseline, const CorpusStatistics& system)
      : scorer_(scorer),
        baseline_(baseline.sum()),
        system_(system.sum()),
        gains_(baseline.segments(), scorer.statistics_size()) {
    for (std::size_t i = 0; i < baseline.segments(); ++i) {
      std::ranges::transform(system.row(i), baseline.row(i), gains_.row(i).begin(), std::minus<>());
    }
  }

  double difference(Random& random) {
    Statistics moved(baseline_.size(), 0.0);  // how the swaps change the baseline's sum
    uint64_t bits = 0;
    for (std::size_t i = 0; i < gains_.segments(); ++i, bits >>= 1U) {
      if (i % kBits == 0) bits = random.bits();
      if ((bits & 1U) == 0) continue;
      const auto row = gains_.row(i);
      for (std::size_t k = 0; k < moved.size(); ++k) moved[k] += row[k];
    }
    Statistics a(moved.size());
    Statistics b(moved.size());
    std::ranges::transform(baseline_, moved, a.begin(), std::plus<>());
    std::ranges::transform(system_, moved, b.begin(), std::minus<>());
    return std::abs(scorer_.score(a).value - scorer_.score(b).value);
  }

 private:
  const Scorer& scorer_;
  Statistics baseline_;
  Statistics system_;
  CorpusStatistics gains_;  // of the system over the baseline, segment by segment
};

}  // namespace

std::vector<TestedScore> paired_bootstrap(const Scorer& scorer,
                                          std::span<const CorpusStatistics> systems,
                                          const Trials& trials) {
  auto tested = corpus_scores(scorer, systems);
  const auto scores = bootstrap_scores(scorer, systems, trials);
  for (std::size_t s = 0; s < systems.size(); ++s) {
    tested[s].interval = confidence_interval(scores[s]);
    if (s == 0) continue;
    const double found = std::abs(tested[s].score - tested[0].score);
    tested[s].p_value = are_equal(systems[s], systems[0])
                            ? 1.0
                            : p_value(centred_differences(scores[s], scores[0]), found);
  }
  return tested;
}

std::vector<TestedScore> paired_randomization(const Scorer& scorer,
                                              std::span<const CorpusStatistics> systems,
                                              const Trials& trials) {
  auto tested = corpus_scores(scorer, systems);
  for (std::size_t s = 1; s < systems.size(); ++s) {
    Random random = stream(trials.seed, "randomization");
    Shuffling shuffling(scorer, systems[0], systems[s]);
    std::vector<double> differences;
    for (std::size_t t = 0; t < trials.number; ++t) {
      stop_if_requested("stopped by a signal");
      differences.push_back(shuffling.difference(random));
    }
    const double found = std::abs(tested[s].score - tested[0].score);
    tested[s].p_value = are_equal(systems[s], systems[0]) ? 1.0 : p_value(differences, found);
  }
  return tested;
}

}  // namespace attend::metrics
