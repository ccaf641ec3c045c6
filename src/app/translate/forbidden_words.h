#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "decode/scoring/output_constraint.h"
#include "text/tokenizer.h"

namespace attend::app {

/// Keeps words out of a translation, in upper and lower case (Unicode's simple case folding) and
/// whatever pieces they are cut into: where one stands complete, only what makes a longer word of
/// it may follow. A word is whatever has no letter, mark or digit beside it, and may have
/// punctuation inside: "shirt" is one in "T-Shirt." and so is "t-shirt", neither is in "shirts".
/// One that ends in punctuation ("etc.") is complete where a space or the end follows.
class ForbiddenWords final : public decode::OutputConstraint {
 public:
  /// Requires: the tokenizer's pieces are in the order of reading; no word is empty or has spaces.
  ForbiddenWords(std::shared_ptr<const text::Tokenizer> tokenizer,
                 const std::vector<std::string>& words);

  void forbid(std::span<const text::TokenId> tokens, torch::Tensor row) const override;

 private:
  void look_at_pieces();
  /// What was written since the last space.
  [[nodiscard]] std::u32string run_of(std::span<const text::TokenId> tokens) const;
  /// Whether `run` has a forbidden word before its end.
  [[nodiscard]] bool holds_word(std::u32string_view run) const;

  std::shared_ptr<const text::Tokenizer> tokenizer_;
  std::vector<std::u32string> words_;  // folded
  torch::Tensor ends_word_;            // [V] bool: whether a word is complete before this piece
  torch::Tensor ends_run_;             // [V] bool: the same of one that ends in punctuation
  std::vector<text::TokenId> mixed_;   // pieces in which a word may end
};

}  // namespace attend::app
