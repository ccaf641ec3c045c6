#include "app/evaluate/eval_scores.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <span>

#include "metrics/resampling.h"
#include "metrics/significance.h"

namespace attend::app {

namespace {

constexpr std::size_t kBootstrapSamples = 1000;
constexpr std::size_t kRandomizationTrials = 10000;

using Entries = std::vector<EvalEntry>;

EvalEntry entry_of(const metrics::Scorer& scorer, const std::string& system,
                   const metrics::Score& score, const std::string& signature) {
  return {.system = system,
          .line = std::nullopt,
          .name = scorer.name(),
          .score = score.value,
          .signature = signature,
          .details = score.details,
          .decimals = scorer.decimals()};
}

Entries line_entries(const Measurement& measurement, std::size_t system, const std::string& name,
                     const std::string& signature) {
  const auto& statistics = measurement.systems[system];
  Entries entries;
  for (std::size_t i = 0; i < statistics.segments(); ++i) {
    const auto score = measurement.scorer->score(statistics.row(i));
    entries.push_back(entry_of(*measurement.scorer, name, score, signature));
    entries.back().line = static_cast<int64_t>(i) + 1;
  }
  return entries;
}

// The confidence interval of every system.
std::vector<metrics::Interval> intervals(const Measurement& measurement,
                                         const metrics::Trials& trials) {
  std::vector<metrics::Interval> intervals;
  for (auto& scores : metrics::bootstrap_scores(*measurement.scorer, measurement.systems, trials)) {
    intervals.push_back(metrics::confidence_interval(std::move(scores)));
  }
  return intervals;
}

std::vector<metrics::TestedScore> tested_scores(const Measurement& measurement,
                                                const ScoreRequest& request) {
  const metrics::Trials trials{.number = request.number_of_trials(), .seed = request.seed};
  if (request.paired == PairedTest::kBootstrap)
    return metrics::paired_bootstrap(*measurement.scorer, measurement.systems, trials);
  return metrics::paired_randomization(*measurement.scorer, measurement.systems, trials);
}

// Returns true if intervals need their own bootstrap samples, because the test provides none.
bool has_own_intervals(const ScoreRequest& request) {
  return request.confidence && request.paired != PairedTest::kBootstrap;
}

std::size_t interval_samples(const ScoreRequest& request) {
  return request.paired ? kBootstrapSamples : request.number_of_trials();
}

metrics::Resampling resampling_of(const ScoreRequest& request) {
  metrics::Resampling resampling;
  if (request.paired == PairedTest::kBootstrap) resampling.bootstrap = request.number_of_trials();
  if (has_own_intervals(request)) resampling.bootstrap = interval_samples(request);
  if (request.paired == PairedTest::kRandomization)
    resampling.randomization = request.number_of_trials();
  if (request.paired || request.confidence) resampling.seed = request.seed;
  return resampling;
}

// One entry per system.
Entries corpus_entries(const Measurement& measurement, const Evaluation& evaluation,
                       const ScoreRequest& request, const std::string& signature) {
  Entries entries;
  for (std::size_t s = 0; s < measurement.systems.size(); ++s) {
    const auto score = measurement.scorer->score(measurement.systems[s].sum());
    entries.push_back(entry_of(*measurement.scorer, evaluation.systems[s], score, signature));
    entries.back().paired = request.paired.has_value();
  }
  if (request.paired) {
    const auto tested = tested_scores(measurement, request);
    for (std::size_t s = 0; s < entries.size(); ++s) {
      entries[s].p_value = tested[s].p_value;
      entries[s].interval = tested[s].interval;
    }
  }
  if (has_own_intervals(request)) {
    const auto all = intervals(measurement, {interval_samples(request), request.seed});
    for (std::size_t s = 0; s < entries.size(); ++s) entries[s].interval = all[s];
  }
  return entries;
}

}  // namespace

std::size_t ScoreRequest::number_of_trials() const {
  return trials.value_or(paired == PairedTest::kRandomization ? kRandomizationTrials
                                                              : kBootstrapSamples);
}

std::string ScoreRequest::test() const {
  return paired == PairedTest::kBootstrap
             ? fmt::format("Paired bootstrap resampling with {} samples", number_of_trials())
             : fmt::format("Paired approximate randomization with {} trials", number_of_trials());
}

std::vector<EvalEntry> score_entries(const Evaluation& evaluation, const ScoreRequest& request) {
  std::vector<Entries> by_system(evaluation.systems.size());
  for (const Measurement& measurement : evaluation.measurements) {
    const std::string signature =
        measurement.scorer->signature(evaluation.references, resampling_of(request));
    const Entries scores = request.sentence_level
                               ? Entries{}
                               : corpus_entries(measurement, evaluation, request, signature);
    for (std::size_t s = 0; s < by_system.size(); ++s) {
      std::ranges::move(request.sentence_level
                            ? line_entries(measurement, s, evaluation.systems[s], signature)
                            : Entries{scores[s]},
                        std::back_inserter(by_system[s]));
    }
  }
  Entries entries;
  for (Entries& system : by_system) std::ranges::move(system, std::back_inserter(entries));
  return entries;
}

}  // namespace attend::app
