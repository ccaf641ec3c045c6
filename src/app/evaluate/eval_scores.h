#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/evaluate/eval_report.h"
#include "metrics/metric.h"

namespace attend::app {

/// One metric with the statistics of every system, by segment.
struct Measurement {
  std::unique_ptr<metrics::Scorer> scorer;
  std::vector<metrics::CorpusStatistics> systems;
};

/// The statistics from which scores are computed.
struct Evaluation {
  std::vector<std::string> systems;  ///< names
  std::size_t references = 1;        ///< per segment
  std::vector<Measurement> measurements;
  std::vector<int64_t> lengths = {};  ///< words of each source line; only for scores by length
};

enum class PairedTest { kBootstrap, kRandomization };

/// The scores to compute from the statistics.
struct ScoreRequest {
  bool sentence_level = false;
  bool confidence = false;           ///< bootstrap intervals
  std::optional<PairedTest> paired;  ///< against the first system
  std::optional<std::size_t> trials;
  uint64_t seed = 1;

  /// Returns `trials`, or the default if it is unset: 1000 (10000 for randomization).
  [[nodiscard]] std::size_t number_of_trials() const;
  /// Names the paired test: "Paired bootstrap resampling with 1000 samples". Requires: paired.
  [[nodiscard]] std::string test() const;
};

/// The scores of all systems, one system after another, each in the order of the measurements.
[[nodiscard]] std::vector<EvalEntry> score_entries(const Evaluation& evaluation,
                                                   const ScoreRequest& request);

}  // namespace attend::app
