#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "app/terms/phrase_cutter.h"
#include "core/utf8.h"
#include "text/term_marks.h"

namespace attend::app {

/// A term and its translations, of which any may be used.
struct GlossaryEntry {
  std::string source;
  std::vector<std::string> targets;
};

/// True if `source` can be a term: it has more than (Unicode) white space.
[[nodiscard]] bool has_words(std::string_view source);

/// Reads lines SOURCE TAB TARGET [TAB NOTES]; blank lines are skipped. `|` separates alternatives
/// in TARGET. Throws DataError, naming file and line, for missing fields, sources with a
/// symbol_problem() and targets with a problem(), and for a file without terms.
[[nodiscard]] std::vector<GlossaryEntry> read_glossary(const std::filesystem::path& file,
                                                       const PhraseCutter& cutter);

/// Terms with their translations.
class Glossary {
 public:
  /// Entries of the same term add their targets. Requires: every source has_words(), and the
  /// targets have no problem().
  Glossary(const std::vector<GlossaryEntry>& entries, const PhraseCutter& cutter);

  /// The translations of the terms in a line, in its order, once for each occurrence. Terms are
  /// compared word by word: a word is a run of letters and digits, another character, or a letter
  /// of a script without spaces; spaces only separate words. From left to right, the longest term
  /// wins, and terms do not overlap. Case counts only for terms with an upper-case letter inside a
  /// word (iPhone, US). A term inside one of `parts` of the line is none. `of_line` cuts the
  /// translations for this line; null: as the constructor did.
  [[nodiscard]] std::vector<std::vector<decode::Phrase>> required_by(
      std::string_view line, std::span<const utf8::Span> parts = {},
      const PhraseCutter* of_line = nullptr) const;

  /// The same terms with the first of their translations each; none if there are more than `most`.
  [[nodiscard]] std::vector<text::TermMark> marks(std::string_view line, int64_t most) const;

  /// The number of terms.
  [[nodiscard]] int64_t size() const { return static_cast<int64_t>(terms_.size()); }

 private:
  using Words = std::vector<std::u32string>;
  struct Term {
    Words words;  // folded unless case counts
    bool case_counts = false;
    std::vector<std::string> targets;
    std::vector<decode::Phrase> phrases;  // of the targets
  };

  /// A tree of terms by their words, so that a place in a line is compared with all terms at once.
  struct Node {
    std::unordered_map<std::u32string, std::size_t> next;  // places of nodes
    std::optional<std::size_t> term;                       // that ends here
  };
  using Tree = std::vector<Node>;

  /// A term in a line.
  struct Found {
    const Term* term = nullptr;
    utf8::Span span;
  };

  Term& term_of(const Words& words);
  void index_terms();
  [[nodiscard]] const Term* longest_in(const Tree& tree, const Words& line,
                                       std::size_t place) const;
  /// The terms in a line, the first `most`.
  [[nodiscard]] std::vector<Found> find(std::string_view line,
                                        std::size_t most = std::string::npos) const;
  [[nodiscard]] const Term* longest_at(const Words& line, const Words& folded_line,
                                       std::size_t place) const;

  std::vector<Term> terms_;
  std::map<std::pair<Words, bool>, std::size_t> places_;  // of a term, by words and case_counts
  Tree cased_ = Tree(1);                                  // terms whose case counts
  Tree folded_ = Tree(1);                                 // the others
};

}  // namespace attend::app
