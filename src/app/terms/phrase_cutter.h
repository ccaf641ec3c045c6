#pragma once
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "app/terms/forbidden_words.h"
#include "decode/scoring/required_phrases.h"
#include "text/tokenizer.h"

namespace attend::app {

/// Why neither a required text nor a term can have a placeholder symbol or a symbol of terms in
/// `text`, as a predicate ("has ..."); empty if it has none.
[[nodiscard]] std::string symbol_problem(std::string_view text);

/// Cuts required texts into phrases of target pieces, as they occur inside a sentence.
class PhraseCutter {
 public:
  /// Looks at all pieces of the vocabulary. `forbidden`: words that the output must not contain;
  /// null: none.
  explicit PhraseCutter(std::shared_ptr<const text::Tokenizer> target,
                        std::shared_ptr<const ForbiddenWords> forbidden = nullptr);

  /// The same cutter for outputs that must not contain `forbidden`; null: none. Does not look at
  /// the vocabulary again.
  [[nodiscard]] PhraseCutter without(std::shared_ptr<const ForbiddenWords> forbidden) const;

  /// The same cutter for texts that `rewrite` changes before they are cut.
  [[nodiscard]] PhraseCutter rewriting(std::function<std::string(std::string_view)> rewrite) const;

  /// Why no output can contain `text`, as a predicate ("is empty"); empty if one can. A text with a
  /// symbol_problem() has one.
  [[nodiscard]] std::string problem(std::string_view text) const;
  /// The same for a text of the line, whose symbols are no more than text.
  [[nodiscard]] std::string problem_of_line_text(std::string_view text) const;

  /// The phrases of any of these texts. A text that ends in a letter or digit must end a word of
  /// the output, unless its script has no spaces or the model writes from the end. A text in a
  /// script without spaces may follow other text directly. Requires: no text has a problem().
  [[nodiscard]] std::vector<decode::Phrase> cut(const std::vector<std::string>& texts) const;

  /// Like cut(), but a text that begins with a mark may follow other text directly.
  [[nodiscard]] std::vector<decode::Phrase> cut_anywhere(const std::string& text) const;

  /// The phrases of all groups.
  [[nodiscard]] decode::RequiredPhrases require(
      std::vector<std::vector<decode::Phrase>> groups) const;

 private:
  void add_without_space(const std::vector<text::Piece>& pieces, decode::Phrase phrase,
                         std::vector<decode::Phrase>& group) const;

  std::shared_ptr<const text::Tokenizer> target_;
  std::shared_ptr<const ForbiddenWords> forbidden_;
  std::function<std::string(std::string_view)> rewrite_ = {};
  std::shared_ptr<const std::vector<char>> continues_word_;  // null: the model writes from the end
};

}  // namespace attend::app
