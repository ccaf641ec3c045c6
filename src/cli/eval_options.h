#pragma once
#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/evaluate/evaluation.h"
#include "cli/common_options.h"
#include "cli/search_flags.h"
#include "metrics/registry.h"

namespace attend::cli {

using app::kAccuracy;
using app::kLoss;

/// The command line of `attend eval`.
struct EvalCommand {
  CommonOptions common;
  app::SearchOverrides search;
  std::vector<std::string> models;
  std::string source;
  std::vector<std::string> hypotheses;
  std::vector<std::string> references;

  std::vector<std::string> metrics{"bleu"};
  metrics::MetricOptions metric_options;
  std::string smooth = "exp";  ///< becomes metric_options.bleu.smoothing

  bool confidence = false;
  std::string paired;  ///< "bootstrap", "randomization" or empty
  std::optional<std::size_t> trials;
  bool by_length = false;
  bool json = false;

  [[nodiscard]] bool wants(const std::string& metric) const;
  [[nodiscard]] bool wants_text_metric() const;
};

/// Adds all options of `attend eval`.
void add_eval_options(CLI::App& command, EvalCommand& options);

/// Throws UsageError for options in conflict, for missing ones, and for options of `given`, the
/// parsed command line, that would have no effect.
void check(const EvalCommand& command, const CLI::App& given);

}  // namespace attend::cli
