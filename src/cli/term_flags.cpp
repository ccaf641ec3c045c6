#include "cli/term_flags.h"

#include <fmt/format.h>

#include <memory>

#include "core/error.h"
#include "core/excerpt.h"
#include "core/file.h"
#include "core/log.h"

namespace attend::cli {
namespace {

constexpr const char* kExpectedWord = "expected one word";

bool is_file(const std::string& given) {
  return given.starts_with('@');
}

void add_words_of(const std::string& file, const text::Tokenizer& target,
                  std::vector<std::string>& words) {
  LineReader lines(file);
  while (auto line = lines.next()) {
    if (line->empty()) continue;
    if (const auto problem = app::ForbiddenWords::problem(target, *line); !problem.empty())
      throw DataError(file, lines.line_number(),
                      fmt::format("\"{}\" {}; {}", excerpt(*line), problem, kExpectedWord));
    words.push_back(std::move(*line));
  }
}

/// Throws UsageError for a model that writes from the end: ForbiddenWords follows words from their
/// beginning.
void refuse_reversed(const app::LoadedModel& model) {
  if (model.target->order() == text::PieceOrder::kReading) return;
  throw UsageError(fmt::format(
      "--forbid does not work with the model in {}, which writes translations from the end "
      "(data.reverse_target: true)",
      model.directory.string()));
}

/// The mode that is given. Throws UsageError if there is no glossary, or a model cannot follow.
app::GlossaryMode mode_for(const std::vector<app::LoadedModel>& models, const TermFlags& flags) {
  if (flags.glossary.empty())
    throw UsageError("--glossary-mode is for the terms of a glossary; give --glossary FILE");
  for (const app::LoadedModel& model : models) {
    const std::string problem = app::shows(*flags.mode) ? app::marks_problem(model) : "";
    if (problem.empty()) continue;
    throw UsageError(
        fmt::format("--glossary-mode {}: the model in {} {}; choose --glossary-mode hard",
                    enum_name(*flags.mode), model.directory.string(), problem));
  }
  return *flags.mode;
}

}  // namespace

void add_term_options(CLI::App& command, TermFlags& flags) {
  command
      .add_option("--constraints", flags.constraints,
                  "Force phrases into each translation: a JSON list per line, [\"A\", [\"B\", "
                  "\"or C\"]]")
      ->type_name("FILE");
  command
      .add_option("--glossary", flags.glossary,
                  "Force translations of terms: SOURCE<tab>TARGET|TARGET per line; "
                  "--glossary-mode soft: suggest them to a model trained with data.terms")
      ->type_name("FILE");
  add_choice(command, "--glossary-mode", flags.mode,
             "Force the translations of terms (hard, default), show them to the model (soft), or "
             "both")
      ->group(kNotInHelp);
  command
      .add_option(
          "--forbid", flags.forbidden,
          "Keep a word, or the words of @FILE, out; repeatable; --copy-unknown: copy unknown "
          "words")
      ->allow_extra_args(false)
      ->type_name("W");
}

std::vector<std::string> term_files(const TermFlags& flags) {
  std::vector<std::string> files = {flags.constraints, flags.glossary};
  for (const std::string& given : flags.forbidden) {
    if (is_file(given)) files.push_back(given.substr(1));
  }
  return files;
}

std::vector<std::string> forbidden_words(const TermFlags& flags, const text::Tokenizer& target) {
  std::vector<std::string> words;
  for (const std::string& given : flags.forbidden) {
    if (is_file(given)) {
      add_words_of(given.substr(1), target, words);
      continue;
    }
    if (const auto problem = app::ForbiddenWords::problem(target, given); !problem.empty())
      throw UsageError(
          fmt::format("--forbid \"{}\" {}; {}, or @FILE", excerpt(given), problem, kExpectedWord));
    words.push_back(given);
  }
  return words;
}

app::OutputTerms output_terms(const TermFlags& flags, const std::vector<app::LoadedModel>& models) {
  const app::LoadedModel& model = models.front();
  app::OutputTerms terms{.constraints = flags.constraints};
  if (flags.mode) terms.mode = mode_for(models, flags);
  if (!flags.forbidden.empty()) refuse_reversed(model);
  if (const auto words = forbidden_words(flags, *model.target); !words.empty()) {
    terms.forbidden = std::make_shared<const app::ForbiddenWords>(model.target, words);
  }
  if (flags.glossary.empty()) return terms;
  const app::PhraseCutter cutter(model.target, terms.forbidden);
  terms.glossary =
      std::make_shared<const app::Glossary>(app::read_glossary(flags.glossary, cutter), cutter);
  log::info("glossary: {} terms", terms.glossary->size());
  return terms;
}

}  // namespace attend::cli
