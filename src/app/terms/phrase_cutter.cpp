#include "app/terms/phrase_cutter.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "app/terms/word_characters.h"
#include "core/excerpt.h"
#include "core/utf8.h"
#include "text/term_marks.h"

namespace attend::app {
namespace {

/// True for pieces that extend the word before them.
bool extends_word(const std::string& piece) {
  if (piece.starts_with(kPieceSpace)) return false;
  const std::u32string text = written(piece);
  return !text.empty() && is_of_word(text.front()) && !is_unspaced(text.front());
}

std::shared_ptr<const std::vector<char>> word_extensions(const text::Tokenizer& target) {
  auto extensions =
      std::make_shared<std::vector<char>>(static_cast<std::size_t>(target.size()), char{0});
  for (text::TokenId id = text::kSpecialSymbols; id < target.size(); ++id)
    (*extensions)[static_cast<std::size_t>(id)] = extends_word(target.piece(id)) ? 1 : 0;
  return extensions;
}

/// The pieces of a text in reading order.
std::vector<text::Piece> pieces_in_order(const text::Tokenizer& target, std::string_view text) {
  std::vector<text::Piece> pieces = target.encode_pieces(text);
  if (target.order() == text::PieceOrder::kReversed) std::ranges::reverse(pieces);
  return pieces;
}

bool ends_word(const std::vector<text::Piece>& pieces) {
  const std::u32string last = written(pieces.back().text);
  return !last.empty() && is_of_word(last.back()) && !is_unspaced(last.back());
}

}  // namespace

std::string symbol_problem(std::string_view text) {
  const std::string symbol = text::reserved_symbol(text);
  if (symbol.empty()) return "";
  return fmt::format("has \"{}\", which stands for protected parts and terms; leave it out",
                     symbol);
}

PhraseCutter::PhraseCutter(std::shared_ptr<const text::Tokenizer> target,
                           std::shared_ptr<const ForbiddenWords> forbidden)
    : target_(std::move(target)), forbidden_(std::move(forbidden)) {
  if (target_->order() == text::PieceOrder::kReading) continues_word_ = word_extensions(*target_);
}

PhraseCutter PhraseCutter::without(std::shared_ptr<const ForbiddenWords> forbidden) const {
  PhraseCutter cutter = *this;
  cutter.forbidden_ = std::move(forbidden);
  return cutter;
}

PhraseCutter PhraseCutter::rewriting(std::function<std::string(std::string_view)> rewrite) const {
  PhraseCutter cutter = *this;
  cutter.rewrite_ = std::move(rewrite);
  return cutter;
}

std::string PhraseCutter::problem(std::string_view text) const {
  std::string found = symbol_problem(text);
  return found.empty() ? problem_of_line_text(text) : found;
}

std::string PhraseCutter::problem_of_line_text(std::string_view text) const {
  const std::vector<text::Piece> pieces =
      pieces_in_order(*target_, rewrite_ ? rewrite_(text) : std::string(text));
  if (pieces.empty()) return "is empty; expected words of the translation";
  for (const text::Piece& piece : pieces) {
    if (piece.id != text::kUnk) continue;
    return fmt::format(
        "has \"{}\", which the model's vocabulary lacks, so no translation can contain it; write "
        "it "
        "in other characters or leave it out",
        excerpt(utf8::encode(written(piece.text))));
  }
  if (forbidden_ != nullptr && forbidden_->occur_in(text))
    return "contains a forbidden word; require it or forbid it, not both";
  return "";
}

std::vector<decode::Phrase> PhraseCutter::cut(const std::vector<std::string>& texts) const {
  std::vector<decode::Phrase> group;
  for (const std::string& text : texts) {
    const std::vector<text::Piece> pieces =
        pieces_in_order(*target_, rewrite_ ? rewrite_(text) : text);
    decode::Phrase phrase{.tokens = {}, .ends_word = ends_word(pieces)};
    for (const text::Piece& piece : pieces) phrase.tokens.push_back(piece.id);
    group.push_back(phrase);
    add_without_space(pieces, std::move(phrase), group);
  }
  if (target_->order() == text::PieceOrder::kReversed) {
    for (decode::Phrase& phrase : group) std::ranges::reverse(phrase.tokens);
  }
  return group;
}

std::vector<decode::Phrase> PhraseCutter::cut_anywhere(const std::string& text) const {
  std::vector<decode::Phrase> group = cut({text});
  const std::vector<text::Piece> pieces = pieces_in_order(*target_, text);
  std::vector<text::TokenId> tokens;
  for (const text::Piece& piece : pieces) tokens.push_back(piece.id);
  const std::string_view first = pieces.front().text;
  if (!first.starts_with(kPieceSpace) || is_of_word(utf8::first_character(text).code)) return group;
  if (first == kPieceSpace && tokens.size() > 1) {
    tokens.erase(tokens.begin());
  } else if (const auto inner = target_->find(first.substr(kPieceSpace.size()))) {
    tokens.front() = *inner;
  } else {
    return group;
  }
  if (target_->order() == text::PieceOrder::kReversed) std::ranges::reverse(tokens);
  group.push_back({.tokens = std::move(tokens), .ends_word = ends_word(pieces)});
  return group;
}

/// Adds a phrase in a script without spaces in the form that follows other text directly.
void PhraseCutter::add_without_space(const std::vector<text::Piece>& pieces, decode::Phrase phrase,
                                     std::vector<decode::Phrase>& group) const {
  const std::string_view first = pieces.front().text;
  if (!first.starts_with(kPieceSpace)) return;
  if (first == kPieceSpace) {
    if (pieces.size() == 1 || !is_unspaced(written(pieces[1].text).front())) return;
    phrase.tokens.erase(phrase.tokens.begin());
  } else {
    const auto inner = target_->find(first.substr(kPieceSpace.size()));
    if (!is_unspaced(written(first).front()) || !inner) return;
    phrase.tokens.front() = *inner;
  }
  group.push_back(std::move(phrase));
}

decode::RequiredPhrases PhraseCutter::require(
    std::vector<std::vector<decode::Phrase>> groups) const {
  return {.groups = std::move(groups), .continues_word = continues_word_};
}

}  // namespace attend::app
