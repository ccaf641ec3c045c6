#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "metrics/resampling.h"

namespace attend::app {

/// One score of one system.
struct EvalEntry {
  std::string system;           ///< file or model of the hypotheses
  std::optional<int64_t> line;  ///< line number from 1; unset: score of the corpus
  std::string name;             ///< of the metric, such as "BLEU"
  double score = 0.0;
  std::string signature;
  std::string details;  ///< shown after the score; may be empty
  int decimals = 2;     ///< of the score as text
  std::optional<metrics::Interval> interval = std::nullopt;  ///< from bootstrap samples
  bool paired = false;                                       ///< result of a paired test
  std::optional<double> p_value = std::nullopt;  ///< of the difference from the baseline
};

using TableRows = std::vector<std::vector<std::string>>;

/// Rows of cells as text, with columns side by side.
[[nodiscard]] std::string aligned_table(const TableRows& rows);

/// One line per entry: "BLEU|nrefs:1|... = 28.30 60.1/... (BP = ...)", or with an interval "... =
/// 28.30 (μ = 28.31 ± 0.60) 60.1/...". With several systems, the system's name and a tab come
/// first.
[[nodiscard]] std::string text_report(const std::vector<EvalEntry>& entries);

/// Results of a paired test as a table with a row per system and a column per metric, followed by
/// the signatures. `test` describes the test: "Paired bootstrap resampling with 1000 samples".
/// Requires: the entries of a system are consecutive, in the same order for all; the first system
/// is the baseline.
[[nodiscard]] std::string paired_report(const std::vector<EvalEntry>& entries,
                                        std::string_view test);

/// A JSON list with one object per entry, in full precision, with the field names of sacreBLEU.
[[nodiscard]] std::string json_report(const std::vector<EvalEntry>& entries);

}  // namespace attend::app
