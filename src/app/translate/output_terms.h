#pragma once
#include <filesystem>
#include <memory>
#include <optional>
#include <string_view>

#include "app/translate/forbidden_words.h"
#include "app/translate/glossary.h"
#include "app/translate/phrase_cutter.h"
#include "app/translate/translator.h"

namespace attend::app {

/// Phrases and words that translations must and must not contain.
struct OutputTerms {
  std::filesystem::path constraints =
      {};  ///< one list per line, see parse_constraints(); empty: none
  std::shared_ptr<const Glossary> glossary = {};         ///< null: none
  std::shared_ptr<const ForbiddenWords> forbidden = {};  ///< null: none
};

/// The cutter for what the translation of a line must contain: its placeholders stand for what the
/// line protects.
[[nodiscard]] PhraseCutter cutter_of(const PhraseCutter& cutter, const SourceLine& line);

/// Passes what a translation must and must not contain to its search.
class TermSetter {
 public:
  /// Borrows `terms`.
  TermSetter(const OutputTerms& terms, std::shared_ptr<const text::Tokenizer> target);

  /// `text`: the line to translate; `constraints`: its line of terms.constraints. Throws what
  /// parse_constraints() throws, and DataError for constraints of an empty line.
  void set(std::string_view text, std::string_view constraints, SourceLine& line) const;

 private:
  const OutputTerms& terms_;
  std::optional<PhraseCutter> cutter_;  // empty: nothing is required
};

}  // namespace attend::app
