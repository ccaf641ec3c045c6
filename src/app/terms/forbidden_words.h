#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "decode/scoring/output_constraint.h"
#include "text/tokenizer.h"

namespace attend::app {

/// Keeps words out of a translation, in upper and lower case (Unicode's simple case folding) and in
/// every segmentation into pieces: after a complete word, only pieces that extend it may follow. A
/// word may contain punctuation. It is looked for as given and as the tokenizer normalises it. It
/// is found only where no letter, mark or digit comes directly before or after it: "T-Shirt."
/// contains "shirt" and "t-shirt", "shirts" contains neither. Letters of scripts without spaces
/// between words (is_unspaced()) are always next to another word, so a word of them is found
/// wherever they occur. A word that ends in punctuation ("etc.") is complete before a space or the
/// end.
class ForbiddenWords final : public decode::OutputConstraint {
 public:
  /// Requires: the tokenizer's pieces are in reading order; no word has a problem().
  ForbiddenWords(std::shared_ptr<const text::Tokenizer> tokenizer,
                 const std::vector<std::string>& words);

  /// The reason why this class cannot keep `word` out, as the rest of a sentence: it is empty or
  /// has a space, perhaps only when normalised. Empty if it can.
  [[nodiscard]] static std::string problem(const text::Tokenizer& tokenizer, std::string_view word);

  void forbid(std::span<const text::TokenId> tokens, torch::Tensor row) const override;
  /// Returns true if `text` contains a forbidden word.
  [[nodiscard]] bool occur_in(std::string_view text) const;

 private:
  void look_at_pieces();
  /// The text of `tokens` after the last space.
  [[nodiscard]] std::u32string run_of(std::span<const text::TokenId> tokens) const;
  /// Returns true if a forbidden word ends inside `run`, before its last character; also at its end
  /// if nothing that follows can continue the word.
  [[nodiscard]] bool holds_word(std::u32string_view run) const;
  /// Returns true if a forbidden word may end inside `piece` like this.
  [[nodiscard]] bool may_hold_end(std::u32string_view piece) const;

  std::shared_ptr<const text::Tokenizer> tokenizer_;
  std::vector<std::u32string> words_;  // folded
  torch::Tensor ends_word_;            // [V] bool: the piece completes a word before it
  torch::Tensor ends_run_;             // [V] bool: the same for a word that ends in punctuation
  std::vector<text::TokenId> mixed_;   // pieces in which a word may end
};

}  // namespace attend::app
