#pragma once
#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>

#include "cli/common_options.h"
#include "cli/experiment.h"
#include "cli/translate_lines.h"
#include "decode/options.h"

namespace attend::cli {

/// The command line's say in a search; what is not given comes from the model's config.
struct SearchFlags {
  std::optional<int64_t> beam;
  std::optional<double> length_penalty;
  std::optional<double> coverage_penalty;
  std::optional<double> max_length_ratio;
  std::optional<int64_t> batch_size;
  std::optional<std::string> precision;
  std::optional<std::string> kernels;
  std::string long_lines = "truncate";
};

/// --sample and what goes with it.
struct SampleFlags {
  bool sample = false;
  decode::SamplingOptions options;
};

/// Adds --beam, --length-penalty, --coverage-penalty, --max-length-ratio, --batch-size,
/// --precision, --kernels and --long-lines.
void add_search_options(CLI::App& command, SearchFlags& flags);
/// Adds --sample, --temperature, --top-k and --top-p.
void add_sample_options(CLI::App& command, SampleFlags& flags);

/// The model's decoding section with the flags in place of its values.
[[nodiscard]] decode::DecodingOptions decoding_options(const SearchFlags& flags,
                                                       const LoadedModel& model);
[[nodiscard]] LongLines parse_long_lines(const std::string& name);

}  // namespace attend::cli
