#pragma once
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "decode/output_constraint.h"
#include "text/tokenizer.h"

namespace attend::app {

/// Keeps words out of a translation, whatever pieces they are cut into: where one stands complete,
/// only what makes a longer word of it may follow.
class ForbiddenWords final : public decode::OutputConstraint {
 public:
  ForbiddenWords(std::shared_ptr<const text::Tokenizer> tokenizer,
                 const std::vector<std::string>& words);

  void forbid(std::span<const text::TokenId> tokens, torch::Tensor row) const override;

 private:
  [[nodiscard]] std::string last_word(std::span<const text::TokenId> tokens) const;

  std::shared_ptr<const text::Tokenizer> tokenizer_;
  std::set<std::string> words_;
  torch::Tensor ends_word_;  // [V] bool: whether a word is complete before this piece
};

}  // namespace attend::app
