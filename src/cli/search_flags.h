#pragma once
#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/translate/batch_overrides.h"
#include "app/translate/search_overrides.h"
#include "cli/common_options.h"
#include "decode/options.h"

namespace attend::cli {

/// --sample and its options.
struct SampleFlags {
  bool sample = false;
  decode::SamplingOptions options;
};

/// --mbr and its options.
struct RiskFlags {
  std::optional<std::string> utility;  ///< unset: no minimum Bayes risk
  std::optional<int64_t> candidates;
  std::string weights = "equal";
};

/// Adds --batch-size and --batch-unit for scoring or aligning pairs.
void add_pair_batch_options(CLI::App& command, app::BatchOverrides& overrides);
/// Adds --beam, --length-penalty, --coverage-penalty, --max-length-ratio,
/// --no-repeat-ngram-size, --precision, --shortlist, --kernels, --long-lines, --protect,
/// --batch-size and --batch-unit for translating lines.
void add_search_options(CLI::App& command, app::SearchOverrides& overrides);
/// The names of the options of add_search_options().
[[nodiscard]] std::vector<std::string> search_option_names();
/// Adds --sample, --temperature, --top-k and --top-p.
void add_sample_options(CLI::App& command, SampleFlags& flags);
/// Adds --mbr, --mbr-candidates and --mbr-weights.
void add_risk_options(CLI::App& command, RiskFlags& flags);

}  // namespace attend::cli
