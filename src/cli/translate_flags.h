#pragma once
#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/translate/search_overrides.h"
#include "app/translate/translation_output.h"
#include "cli/common_options.h"
#include "cli/search_flags.h"
#include "cli/term_flags.h"
#include "text/markup/marked_line.h"

namespace attend::cli {

/// The options of `attend translate` as given.
struct TranslateCommand {
  CommonOptions common;
  std::vector<std::string> models;
  std::string input = "-";
  std::string prefixes;
  TermFlags terms;
  std::string tag;
  std::optional<int64_t> n_best;
  bool scores = false;
  app::SearchOverrides search;
  SampleFlags sampling;
  RiskFlags risk;
  app::OutputChoices output;
  std::string level = "piece";
  std::string heatmap_format = "svg";
  std::string kinds;
  std::string shard;
  bool resume = false;
  bool document = false;
  std::optional<text::Markup> markup;
  bool copy_unknown = false;

  [[nodiscard]] bool by_blocks() const { return resume || !shard.empty(); }
};

/// Adds all options of `attend translate`.
void add_translate_options(CLI::App& command, TranslateCommand& options);

/// Throws UsageError, naming the options, for options that exclude or need each other.
void check_options(const TranslateCommand& command, const CLI::App& given);

}  // namespace attend::cli
