#pragma once
#include <array>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/terms/forbidden_words.h"
#include "app/terms/glossary.h"
#include "app/terms/phrase_cutter.h"
#include "app/translate/translator.h"
#include "core/named_enum.h"
#include "text/term_marks.h"

namespace attend::app {

/// How a glossary reaches a translation.
enum class GlossaryMode { hard, soft, both };

constexpr auto name_table(GlossaryMode) {
  return std::to_array<NamedValue<GlossaryMode>>(
      {{GlossaryMode::hard, "hard", "the search must find the translations of terms"},
       {GlossaryMode::soft, "soft", "the model reads them beside the terms (data.terms)"},
       {GlossaryMode::both, "both", "both"}});
}

/// True if the search must find the translations of terms.
[[nodiscard]] constexpr bool forces(GlossaryMode mode) {
  return mode != GlossaryMode::soft;
}
/// True if the model reads them.
[[nodiscard]] constexpr bool shows(GlossaryMode mode) {
  return mode != GlossaryMode::hard;
}

/// Why the model cannot read the translations of terms, as a predicate ("was trained without
/// data.terms"); empty if it can.
[[nodiscard]] std::string marks_problem(const LoadedModel& model);
/// The most terms that a line can show to the model: a mark takes three pieces, and a translation
/// one or more.
[[nodiscard]] int64_t most_marks(const LoadedModel& model);

/// Phrases and words that translations must and must not contain.
struct OutputTerms {
  std::filesystem::path constraints =
      {};  ///< one list per line, see parse_constraints(); empty: none
  std::shared_ptr<const Glossary> glossary = {};  ///< null: none
  GlossaryMode mode = GlossaryMode::hard;
  std::shared_ptr<const ForbiddenWords> forbidden = {};  ///< null: none
};

/// The cutter for what the translation of a line must contain: its placeholders stand for what the
/// line protects.
[[nodiscard]] PhraseCutter cutter_of(const PhraseCutter& cutter, const SourceLine& line);

/// The protected parts of a line.
[[nodiscard]] std::span<const utf8::Span> parts_of(const SourceLine& line);

/// Passes what a translation must and must not contain to its search.
class TermSetter {
 public:
  /// Borrows `terms`. `model`: the first that translates.
  TermSetter(const OutputTerms& terms, const LoadedModel& model);

  /// The terms in a line that its model reads with their translations.
  [[nodiscard]] std::vector<text::TermMark> marks(std::string_view text) const;

  /// `text`: the line to translate; `constraints`: its line of terms.constraints. Throws what
  /// parse_constraints() throws, and DataError for constraints of an empty line.
  void set(std::string_view text, std::string_view constraints, SourceLine& line) const;

 private:
  const OutputTerms& terms_;
  int64_t most_marks_;
  std::optional<PhraseCutter> cutter_;  // empty: nothing is required
};

}  // namespace attend::app
