#pragma once
#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "app/model/loaded_model.h"
#include "app/translate/output_terms.h"

namespace attend::cli {

/// --constraints, --glossary, --glossary-mode and --forbid.
struct TermFlags {
  std::string constraints;
  std::string glossary;
  std::optional<app::GlossaryMode> mode;  ///< unset: hard
  std::vector<std::string> forbidden;     ///< words, and @FILE with a word per line
};

void add_term_options(CLI::App& command, TermFlags& flags);

/// The files that the flags name.
[[nodiscard]] std::vector<std::string> term_files(const TermFlags& flags);

/// The words of --forbid. Throws UsageError for one that app::ForbiddenWords has a problem with,
/// DataError for one in a file.
[[nodiscard]] std::vector<std::string> forbidden_words(const TermFlags& flags,
                                                       const text::Tokenizer& target);

/// Loads what the flags name, for the pieces of the first model. Throws what forbidden_words() and
/// app::read_glossary() throw, and UsageError for --forbid with a model that writes its output from
/// the end, and for a --glossary-mode that a model cannot follow.
[[nodiscard]] app::OutputTerms output_terms(const TermFlags& flags,
                                            const std::vector<app::LoadedModel>& models);

}  // namespace attend::cli
