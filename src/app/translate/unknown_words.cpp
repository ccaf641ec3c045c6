#include "app/translate/unknown_words.h"

#include <algorithm>
#include <optional>

#include "align/attention_matrix.h"
#include "app/terms/line_protection.h"
#include "app/terms/word_characters.h"
#include "core/spans.h"
#include "text/vocabulary.h"

namespace attend::app {
namespace {

/// The piece of the source with the largest weight in a row; nothing for the end symbol.
std::optional<std::size_t> linked_piece(const align::AttentionMatrix& matrix, std::size_t row) {
  std::size_t best = 0;
  for (std::size_t s = 1; s < matrix.source.size(); ++s) {
    if (matrix.weights(row, s) > matrix.weights(row, best)) best = s;
  }
  if (best >= matrix.source_tokens()) return std::nullopt;
  return best;
}

/// The replacement of an unknown piece, and the bytes of the source that it copies.
struct Copied {
  std::string text;
  utf8::Span source;
};

/// The pieces of a translation in reading order.
struct Pieces {
  std::vector<text::TokenId> ids;
  std::vector<std::string> texts;
  bool mark_spaces = false;  ///< a space is a piece of its own before a word of unknown pieces

  Pieces(const TokenizedLine& line, const text::Tokenizer& tokenizer)
      : ids(line.ids), texts(line.pieces), mark_spaces(tokenizer.find(kPieceSpace).has_value()) {
    if (line.order == text::PieceOrder::kReading) return;
    std::ranges::reverse(ids);
    std::ranges::reverse(texts);
  }

  /// True if the unknown piece `place` is a word by itself.
  [[nodiscard]] bool is_word(std::size_t place) const {
    const bool begins = place == 0 || !mark_spaces || texts[place - 1].ends_with(kPieceSpace);
    return begins &&
           (place + 1 == texts.size() || !mark_spaces || texts[place + 1].starts_with(kPieceSpace));
  }
};

/// The text that replaces the unknown piece `place` of the translation, which is linked to piece
/// `linked` of the source; see copy_unknown_words(). Nothing if the unknown piece stays.
std::optional<Copied> copied_from(const TokenizedLine& line, std::size_t linked,
                                  const Pieces& target, std::size_t place) {
  const auto of_piece = [&](std::size_t i) { return Copied{line.pieces[i], line.spans[i]}; };
  if (line.ids[linked] == text::kUnk) return of_piece(linked);
  for (const utf8::Span& word : linkable_words(line)) {
    if (!utf8::share_bytes(word, line.spans[linked])) continue;
    for (std::size_t i = 0; i < line.ids.size(); ++i) {
      if (line.ids[i] == text::kUnk && utf8::share_bytes(word, line.spans[i])) return of_piece(i);
    }
    if (!target.is_word(place)) return std::nullopt;
    const std::string text = line.text.substr(word.begin, word.end - word.begin);
    return Copied{target.mark_spaces ? text : std::string(kPieceSpace) + text, word};
  }
  return std::nullopt;
}

std::vector<std::size_t> unknown_places(const Pieces& pieces) {
  std::vector<std::size_t> places;
  for (std::size_t t = 0; t < pieces.ids.size(); ++t) {
    if (pieces.ids[t] == text::kUnk) places.push_back(t);
  }
  return places;
}

}  // namespace

void copy_unknown_words(const SourceLine& source, const text::Tokenizer& target,
                        const LinkChoice& choice, Translation& translation) {
  const Pieces pieces(translation.line, target);
  const std::vector<std::size_t> places = unknown_places(pieces);
  if (places.size() <= source.unknown.size() || !translation.attention.defined()) return;
  const align::AttentionMatrix matrix = align::of_head(
      attention_matrix({source.line, translation.line, translation.attention, translation.heads},
                       align::Level::kPiece, choice.shift),
      choice.head);
  std::vector<std::string> texts = source.unknown;
  std::optional<utf8::Span> before;  // copied by the unknown piece right before
  for (std::size_t i = texts.size(); i < places.size(); ++i) {
    if (i == 0 || places[i - 1] + 1 != places[i]) before.reset();
    const auto linked = linked_piece(matrix, places[i]);
    const auto copied =
        linked ? copied_from(source.line, *linked, pieces, places[i]) : std::nullopt;
    const bool again = copied && before == copied->source;
    texts.push_back(again ? "" : copied ? copied->text : "\u2047");
    before = copied ? std::optional(copied->source) : std::nullopt;
  }
  translation.line = detokenize_line(target, translation.line.ids, texts);
  if (source.protection != nullptr) source.protection->restore(translation.line);
}

}  // namespace attend::app
