#include "app/terms/forbidden_words.h"

#include <fmt/format.h>
#include <torch/utils.h>

#include <algorithm>
#include <limits>

#include "app/terms/word_characters.h"
#include "core/excerpt.h"
#include "core/utf8.h"

namespace attend::app {
namespace {

bool begins_run(const std::string& piece) {
  return piece.starts_with(kPieceSpace);
}

std::u32string folded_text(std::string_view piece) {
  return folded(written(piece));
}

/// Returns true if the characters belong to one word when they are side by side.
bool are_joined(char32_t a, char32_t b) {
  return is_of_word(a) && is_of_word(b) && !is_unspaced(a) && !is_unspaced(b);
}

bool begins_at(std::u32string_view run, std::u32string_view word, std::size_t place) {
  return run.substr(place, word.size()) == word &&
         (place == 0 || !are_joined(run[place - 1], word.front()));
}

/// Returns true if a word that ends in the last character of `text` before `end` is complete
/// there, whatever follows `text`.
bool is_complete(std::u32string_view text, std::size_t end) {
  const char32_t last = text[end - 1];
  if (end == text.size()) return is_unspaced(last);
  return is_of_word(last) && !are_joined(last, text[end]);
}

/// The text of the pieces of `text`, which are normalised; a space before each new word but the
/// first.
std::string normalised(const text::Tokenizer& tokenizer, std::string_view text) {
  std::string result;
  for (const text::Piece& piece : tokenizer.encode_pieces(text)) {
    if (begins_run(piece.text) && !result.empty()) result += ' ';
    result += utf8::encode(written(piece.text));
  }
  return result;
}

bool ends_with_word(std::u32string_view run, std::u32string_view word) {
  return run.size() >= word.size() && begins_at(run, word, run.size() - word.size());
}

}  // namespace

ForbiddenWords::ForbiddenWords(std::shared_ptr<const text::Tokenizer> tokenizer,
                               const std::vector<std::string>& words)
    : tokenizer_(std::move(tokenizer)) {
  for (const std::string& word : words) {
    words_.push_back(folded(utf8::decode(word)));
    words_.push_back(folded(utf8::decode(normalised(*tokenizer_, word))));
  }
  std::ranges::sort(words_);
  words_.erase(std::ranges::unique(words_).begin(), words_.end());
  look_at_pieces();
}

std::string ForbiddenWords::problem(const text::Tokenizer& tokenizer, std::string_view word) {
  if (word.empty()) return "is empty";
  if (word.find_first_of(" \t") != std::string_view::npos) return "has a space";
  const std::string pieces = normalised(tokenizer, word);
  if (pieces.empty()) return "is nothing that a translation can contain (the tokenizer removes it)";
  if (pieces.find(' ') == std::string::npos) return "";
  return fmt::format("is more than one word for the tokenizer: \"{}\"", excerpt(pieces));
}

void ForbiddenWords::look_at_pieces() {
  ends_word_ = torch::zeros({tokenizer_->size()}, torch::kBool);
  ends_run_ = torch::zeros({tokenizer_->size()}, torch::kBool);
  bool* word = ends_word_.data_ptr<bool>();
  bool* run = ends_run_.data_ptr<bool>();
  for (text::TokenId id = 0; id < tokenizer_->size(); ++id) {
    const std::string& piece = tokenizer_->piece(id);
    const std::u32string text = folded_text(piece);
    run[id] = id < text::kSpecialSymbols || begins_run(piece) || text.empty();
    word[id] = run[id] || !is_of_word(text.front()) || is_unspaced(text.front());
    if (id >= text::kSpecialSymbols && may_hold_end(text)) mixed_.push_back(id);
  }
}

std::u32string ForbiddenWords::run_of(std::span<const text::TokenId> tokens) const {
  std::size_t begin = tokens.size();
  while (begin > 0 && tokens[begin - 1] >= text::kSpecialSymbols) {
    if (begins_run(tokenizer_->piece(tokens[--begin]))) break;
  }
  std::u32string run;
  for (const text::TokenId id : tokens.subspan(begin)) run += folded_text(tokenizer_->piece(id));
  return run;
}

bool ForbiddenWords::holds_word(std::u32string_view run) const {
  return std::any_of(words_.begin(), words_.end(), [run](const std::u32string& word) {
    for (std::size_t place = 0; place + word.size() <= run.size(); ++place) {
      if (begins_at(run, word, place) && is_complete(run, place + word.size())) return true;
    }
    return false;
  });
}

bool ForbiddenWords::may_hold_end(std::u32string_view piece) const {
  return std::any_of(words_.begin(), words_.end(), [piece](const std::u32string& word) {
    for (std::size_t place = 0; place < piece.size(); ++place) {
      if (piece[place] == word.back() && is_complete(piece, place + 1)) return true;
    }
    return false;
  });
}

bool ForbiddenWords::occur_in(std::string_view text) const {
  const std::string line = fmt::format("{} {}", text, normalised(*tokenizer_, text));
  for (const utf8::Span& span : utf8::word_spans(line)) {
    const auto run = folded(utf8::decode(line.substr(span.begin, span.end - span.begin)));
    const auto ends = [&run](const std::u32string& word) { return ends_with_word(run, word); };
    if (holds_word(run) || std::any_of(words_.begin(), words_.end(), ends)) return true;
  }
  return false;
}

void ForbiddenWords::forbid(std::span<const text::TokenId> tokens, torch::Tensor row) const {
  constexpr double kNever = -std::numeric_limits<double>::infinity();
  const std::u32string run = run_of(tokens);
  for (const std::u32string& word : words_) {
    if (is_unspaced(word.back()) || !ends_with_word(run, word)) continue;
    const torch::Tensor& ends = is_of_word(word.back()) ? ends_word_ : ends_run_;
    row.masked_fill_(ends.to(row.device()), kNever);
  }
  for (const text::TokenId id : mixed_) {
    const std::string& piece = tokenizer_->piece(id);
    if (holds_word(begins_run(piece) ? folded_text(piece) : run + folded_text(piece)))
      row[id].fill_(kNever);
  }
}

}  // namespace attend::app
