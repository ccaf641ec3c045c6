#include "data/encoded_side.h"

#include <span>
#include <string_view>

#include "align/word_merge.h"
#include "text/long_line.h"

namespace attend::data {
namespace {

using Pieces = std::vector<text::Piece>;

/// Stores `pieces` of `line` as line `i`, with their words.
void put(EncodedSide& side, std::size_t i, std::string_view line, const Pieces& pieces) {
  std::vector<utf8::Span> spans;
  side.ids[i].clear();
  for (const text::Piece& piece : pieces) {
    side.ids[i].push_back(piece.id);
    spans.push_back(piece.span);
  }
  // The end symbol is added so that the pieces of a line without words have a group too.
  side.words[i] = align::group_by_words(line, spans, /*end=*/true, "").group_of;
  side.words[i].pop_back();
}

EncodedSide empty_side(std::size_t lines, bool with_words) {
  EncodedSide side;
  side.ids.resize(lines);
  if (with_words) side.words.resize(lines);
  return side;
}

/// Encodes `line` and stores it as line `i`.
void encode_line(EncodedSide& side, std::size_t i, std::string_view line,
                 const text::Tokenizer& tokenizer) {
  if (side.words.empty()) {
    side.ids[i] = tokenizer.encode(line);
  } else {
    put(side, i, line, tokenizer.encode_pieces(line));
  }
}

}  // namespace

EncodedSide encode_side(const text::Tokenizer& tokenizer, const std::vector<std::string>& lines,
                        bool with_words, int64_t max_length) {
  EncodedSide side = empty_side(lines.size(), with_words);
  for (std::size_t i = 0; i < lines.size(); ++i)
    encode_line(side, i, text::enough_of(lines[i], tokenizer, max_length), tokenizer);
  return side;
}

}  // namespace attend::data
