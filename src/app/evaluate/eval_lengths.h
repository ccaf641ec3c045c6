#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "app/evaluate/eval_scores.h"

namespace attend::app {

/// The score of one system on the sentences of similar length.
struct LengthEntry {
  std::string system;
  int64_t from = 0;   ///< fewest words of the source
  int64_t to = 0;     ///< most words of the source; 0: no limit
  int64_t lines = 0;  ///< sentences of these lengths
  std::string name;   ///< of the metric, such as "BLEU"
  std::string signature;
  double score = 0.0;
  int decimals = 2;
};

/// Corpus scores by length of the source (Evaluation::lengths): up to 5, 10, 15, 20, 30, 40, 50
/// words, and more. Lengths without sentences are left out. Ordered by system, then by length, then
/// by metric. Requires: evaluation.lengths is not empty.
[[nodiscard]] std::vector<LengthEntry> score_by_length(const Evaluation& evaluation);

/// A table with a row for each length and a column for each system and metric, followed by the
/// signatures.
[[nodiscard]] std::string length_report(const std::vector<LengthEntry>& entries);

/// A JSON list with one object per entry, in full precision.
[[nodiscard]] std::string length_json(const std::vector<LengthEntry>& entries);

}  // namespace attend::app
