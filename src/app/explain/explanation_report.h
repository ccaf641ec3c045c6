#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "app/explain/explain_pair.h"
#include "app/explain/explanation_summary.h"

namespace attend::app {

/// The settings that a reader needs to repeat the measurement.
struct ExplanationSettings {
  std::string source;
  std::string target;          ///< empty: the model's own output
  std::string function_words;  ///< where the function words come from: "built-in list for de"
  metrics::Trials trials;
  uint64_t seed = 1;
  std::string program;  ///< "attend 0.2.0"
};

/// One line of JSON for a token, without LF: {"model", "id" (line, from 0), "position" (from 0),
/// "token", "word", "class", "decision", "probability", "measures": {site: {measure: value}}}.
/// Undefined measures are left out.
[[nodiscard]] std::string token_json(std::string_view model, int64_t id, std::size_t position,
                                     const ExplainedToken& token,
                                     const std::vector<AttentionSite>& sites);

/// A table per model and site, as text: rows are measures, columns classes of words.
[[nodiscard]] std::string explanation_table(const std::vector<ModelSummary>& models);

/// The same as LaTeX tables for the package booktabs.
[[nodiscard]] std::string explanation_latex(const std::vector<ModelSummary>& models);

/// A paragraph for a paper: what was measured and how, with the settings and references.
[[nodiscard]] std::string explanation_methods(const std::vector<ModelSummary>& models,
                                              const ExplanationSettings& settings);

}  // namespace attend::app
