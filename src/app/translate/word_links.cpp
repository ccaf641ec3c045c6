#include "app/translate/word_links.h"

#include <algorithm>

#include "align/extract.h"
#include "app/terms/word_characters.h"
#include "text/characters.h"

namespace attend::app {
namespace {

std::vector<utf8::Span> words_by_characters(std::string_view text) {
  std::vector<utf8::Span> words;
  bool continues = false;
  for (std::size_t at = 0; at < text.size();) {
    const auto [code, bytes] = utf8::first_character(text.substr(at));
    const bool joins = is_of_word(code) && !is_unspaced(code);
    if (continues && joins) {
      words.back().end = at + bytes;
    } else if (!text::is_blank(code)) {
      words.push_back({at, at + bytes});
    }
    continues = joins;
    at += bytes;
  }
  return words;
}

}  // namespace

std::vector<utf8::Span> linkable_words(const TokenizedLine& line) {
  const std::vector<utf8::Span> words = words_by_characters(line.text);
  std::vector<bool> joins_next(words.size());
  for (const utf8::Span& piece : line.spans) {
    auto word = std::ranges::upper_bound(words, piece.begin, {}, &utf8::Span::end);
    for (; word != words.end() && word + 1 != words.end() && (word + 1)->begin < piece.end; ++word)
      joins_next[static_cast<std::size_t>(word - words.begin())] = true;
  }
  std::vector<utf8::Span> joined;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0 && joins_next[i - 1]) {
      joined.back().end = words[i].end;
    } else {
      joined.push_back(words[i]);
    }
  }
  return joined;
}

std::vector<text::LinkedWord> linked_words(const TokenizedLine& source,
                                           const Translation& translation,
                                           const LinkChoice& choice) {
  const PairWords words{linkable_words(source), linkable_words(translation.line)};
  std::vector<text::LinkedWord> linked;
  for (const utf8::Span& word : words.target) linked.push_back({word});
  if (!translation.attention.defined()) return linked;
  const align::AttentionMatrix matrix = align::of_head(
      attention_matrix({source, translation.line, translation.attention, translation.heads}, words,
                       choice.shift),
      choice.head);
  for (const align::Link& link : align::extract_links(matrix))
    linked[static_cast<std::size_t>(link.target)].source =
        words.source[static_cast<std::size_t>(link.source)];
  return linked;
}

}  // namespace attend::app
