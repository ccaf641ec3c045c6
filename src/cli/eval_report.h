#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace attend::cli {

/// One score of one system.
struct EvalEntry {
  std::string system;           ///< file or model that the hypotheses come from
  std::optional<int64_t> line;  ///< scores of single lines: which one, from 1
  std::string name;             ///< of the metric: "BLEU"
  double score = 0.0;
  std::string signature;
  std::string details;  ///< what the metric shows after the score; may be empty
  int decimals = 2;     ///< of the score as text
};

/// One line per entry, "BLEU|nrefs:1|... = 28.30 60.1/... (BP = ...)", behind the system's name and
/// a tab if there are several systems.
[[nodiscard]] std::string text_report(const std::vector<EvalEntry>& entries);

/// A JSON list with one object per entry, in full precision, under the names that sacreBLEU uses.
[[nodiscard]] std::string json_report(const std::vector<EvalEntry>& entries);

}  // namespace attend::cli
