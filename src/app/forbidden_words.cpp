#include "app/forbidden_words.h"

#include <torch/utils.h>
#include <unicode/uchar.h>

#include <limits>

#include "core/utf8.h"

namespace attend::app {
namespace {

constexpr std::string_view kSpace = "\u2581";  // before a piece that begins a word

bool begins_word(const std::string& piece) {
  return piece.starts_with(kSpace);
}

/// Letters, their marks and digits go on with a word; spaces, punctuation and kEos end it.
bool ends_word(text::TokenId id, const std::string& piece) {
  if (id < text::kSpecialSymbols || begins_word(piece)) return true;
  if (piece.empty()) return true;
  const auto first = static_cast<UChar32>(utf8::first_character(piece).code);
  return u_isalnum(first) == 0 && (U_GET_GC_MASK(first) & U_GC_M_MASK) == 0;
}

}  // namespace

ForbiddenWords::ForbiddenWords(std::shared_ptr<const text::Tokenizer> tokenizer,
                               const std::vector<std::string>& words)
    : tokenizer_(std::move(tokenizer)), words_(words.begin(), words.end()) {
  ends_word_ = torch::zeros({tokenizer_->size()}, torch::kBool);
  bool* ends = ends_word_.data_ptr<bool>();
  for (text::TokenId id = 0; id < tokenizer_->size(); ++id)
    ends[id] = ends_word(id, tokenizer_->piece(id));
}

std::string ForbiddenWords::last_word(std::span<const text::TokenId> tokens) const {
  std::string word;
  for (std::size_t i = tokens.size(); i-- > 0;) {
    const std::string& piece = tokenizer_->piece(tokens[i]);
    if (begins_word(piece)) return piece.substr(kSpace.size()) + word;
    word = piece + word;
    if (ends_word(tokens[i], piece)) break;
  }
  return word;
}

void ForbiddenWords::forbid(std::span<const text::TokenId> tokens, torch::Tensor row) const {
  if (!words_.contains(last_word(tokens))) return;
  row.masked_fill_(ends_word_.to(row.device()), -std::numeric_limits<double>::infinity());
}

}  // namespace attend::app
