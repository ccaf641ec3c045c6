#include "app/attention/sentence_attention.h"

#include <algorithm>

#include "text/long_line.h"
#include "text/vocabulary.h"

namespace attend::app {

namespace {

constexpr std::string_view kEndName = "</s>";
constexpr std::string_view kBeginName = "<s>";

align::WeightTable table_of(const torch::Tensor& weights) {
  const torch::Tensor plain = weights.to(torch::kCPU, torch::kFloat).contiguous();
  const auto* values = plain.data_ptr<float>();
  return {static_cast<std::size_t>(plain.size(0)), static_cast<std::size_t>(plain.size(1)),
          std::vector<float>(values, values + plain.numel())};
}

std::vector<std::string> names_of(const TokenizedLine& line, bool end) {
  std::vector<std::string> names = line.pieces;
  if (end) names.emplace_back(kEndName);
  return names;
}

align::AttentionMatrix piece_matrix(const SentenceAttention& attention) {
  const auto pieces = static_cast<int64_t>(attention.source.pieces.size());
  const bool source_end = !attention.weights.defined() || attention.weights.size(1) > pieces;
  align::AttentionMatrix matrix{.target = names_of(attention.target, true),
                                .source = names_of(attention.source, source_end),
                                .target_end = true,
                                .source_end = source_end,
                                .weights = {},
                                .heads = {}};
  if (attention.weights.defined()) matrix.weights = table_of(attention.weights);
  for (int64_t h = 0; attention.heads.defined() && h < attention.heads.size(0); ++h) {
    matrix.heads.push_back(table_of(attention.heads[h]));
  }
  matrix.check();
  return matrix;
}

/// The matrix with pieces in reading order; `shift` counts decoding steps.
align::AttentionMatrix piece_matrix(const SentenceAttention& attention, std::size_t shift) {
  align::AttentionMatrix matrix = align::shift_rows(piece_matrix(attention), shift);
  const bool reversed = attention.target.order == text::PieceOrder::kReversed;
  return reversed ? align::turn_rows(matrix) : matrix;
}

/// Groups the pieces, in reading order, by `words`.
align::WordGroups word_groups(const TokenizedLine& line, std::span<const utf8::Span> words,
                              bool end) {
  std::vector<utf8::Span> spans = line.spans;
  if (line.order == text::PieceOrder::kReversed) std::ranges::reverse(spans);
  align::WordGroups groups = align::group_by_spans(line.text, words, spans, end, kEndName);
  // The end symbols between several sources belong to no word; they join the last group.
  for (std::size_t i = 0; end && i < line.ids.size(); ++i)
    if (line.ids[i] == text::kEos) groups.group_of[i] = groups.names.size() - 1;
  return groups;
}

/// The decoder's inputs: the begin symbol, then each word except the end symbol.
align::WordGroups input_groups(const TokenizedLine& target) {
  const align::WordGroups words = word_groups(target, true);
  align::WordGroups input{{std::string(kBeginName)}, {0}, false};
  input.names.insert(input.names.end(), words.names.begin(), words.names.end() - 1);
  // In a line without words, word_groups() puts all pieces into the group of the end symbol; here
  // they join the begin symbol.
  for (std::size_t i = 0; i + 1 < words.group_of.size(); ++i)
    input.group_of.push_back(std::min(words.group_of[i] + 1, input.names.size() - 1));
  return input;
}

draw::PageWords words_of(const SentenceAttention& attention, const align::AttentionMatrix& pieces) {
  return {.source = word_groups(attention.source, pieces.source_end),
          .target = word_groups(attention.target, pieces.target_end),
          .input = input_groups(attention.target)};
}

std::vector<std::string> slot_names(int64_t slots) {
  std::vector<std::string> names;
  for (int64_t slot = 1; slot <= slots; ++slot) names.push_back(std::to_string(slot));
  return names;
}

/// A matrix without weights, but with the names of the rows and of `columns` columns.
align::AttentionMatrix frame_of(const SentenceMaps& sentence, const std::string& kind,
                                int64_t columns) {
  const align::KindSides sides = align::sides_of(kind);
  const bool of_source = sides.rows == align::KindSide::kSource;
  align::AttentionMatrix frame{
      .target = names_of(of_source ? sentence.source : sentence.target, true),
      .source = names_of(sentence.source, true),
      .source_end = sides.columns == align::KindSide::kSource,
      .weights = {},
      .heads = {}};
  if (sides.columns == align::KindSide::kSlots) frame.source = slot_names(columns);
  if (sides.columns != align::KindSide::kInput) return frame;
  frame.source = sentence.target.pieces;
  frame.source.emplace(frame.source.begin(), kBeginName);
  return frame;
}

align::AttentionKind piece_kind(const std::string& name, const decode::KindMaps& maps,
                                const align::AttentionMatrix& frame) {
  align::AttentionKind kind{name, {}, {}};
  for (const torch::Tensor& layer : maps.layers) {
    align::AttentionMatrix& matrix = kind.layers.emplace_back(frame);
    matrix.weights = table_of(layer.mean(0));
    for (int64_t h = 0; layer.size(0) > 1 && h < layer.size(0); ++h)
      matrix.heads.push_back(table_of(layer[h]));
    matrix.check();
  }
  if (!maps.rollout.defined()) return kind;
  kind.rollout = frame;
  kind.rollout.weights = table_of(maps.rollout);
  return kind;
}

std::vector<align::AttentionKind> piece_kinds(const SentenceMaps& sentence, std::size_t shift) {
  std::vector<align::AttentionKind> kinds;
  for (const decode::KindPlaces& place : decode::kKindPlaces) {
    const decode::KindMaps& maps = sentence.maps.*place.maps;
    if (maps.layers.empty()) continue;
    const int64_t columns = maps.layers.front().size(2);
    kinds.push_back(piece_kind(place.name, maps, frame_of(sentence, place.name, columns)));
  }
  for (align::AttentionKind& kind : kinds) {
    if (kind.name != "cross" || shift == 0) continue;
    kind = align::changed(kind, [shift](const align::AttentionMatrix& matrix) {
      return align::shift_rows(matrix, shift);
    });
  }
  return kinds;
}

align::WordGroups by_themselves(const std::vector<std::string>& names) {
  align::WordGroups groups{names, {}, false};
  for (std::size_t i = 0; i < names.size(); ++i) groups.group_of.push_back(i);
  return groups;
}

align::AttentionKind merged(const align::AttentionKind& kind, const TokenizedLine& source,
                            const TokenizedLine& target) {
  const align::KindSides sides = align::sides_of(kind.name);
  const align::WordGroups rows =
      word_groups(sides.rows == align::KindSide::kSource ? source : target, true);
  const align::WordGroups columns = sides.columns == align::KindSide::kInput ? input_groups(target)
                                    : sides.columns == align::KindSide::kSlots
                                        ? by_themselves(kind.layers.front().source)
                                        : word_groups(source, true);
  return align::changed(kind, [&](const align::AttentionMatrix& matrix) {
    return align::merge_to_words(matrix, rows, columns);
  });
}

}  // namespace

align::WordGroups word_groups(const TokenizedLine& line, bool end) {
  return word_groups(line, utf8::word_spans(line.text), end);
}

TokenizedLine tokenize_line(const text::Tokenizer& tokenizer, std::string_view line) {
  TokenizedLine result;
  result.text = line;
  result.order = tokenizer.order();
  for (text::Piece& piece : tokenizer.encode_pieces(line)) {
    result.ids.push_back(piece.id);
    result.pieces.push_back(std::move(piece.text));
    result.spans.push_back(piece.span);
  }
  return result;
}

int64_t cut(TokenizedLine& line, int64_t most_pieces) {
  const auto most = static_cast<std::size_t>(most_pieces);
  text::keep_beginning(line.pieces, most, line.order);
  text::keep_beginning(line.spans, most, line.order);
  return static_cast<int64_t>(text::keep_beginning(line.ids, most, line.order));
}

void end_at_last_piece(TokenizedLine& line) {
  std::size_t end = 0;
  for (const utf8::Span& span : line.spans) end = std::max(end, span.end);
  line.text.resize(std::min(line.text.size(), line.text.find(' ', end)));
}

TokenizedLine detokenize_line(const text::Tokenizer& tokenizer, std::span<const text::TokenId> ids,
                              std::span<const std::string> unknown) {
  text::Detokenized detokenized = tokenizer.decode_with_spans(ids, unknown);
  TokenizedLine result;
  result.text = std::move(detokenized.text);
  result.spans = std::move(detokenized.spans);
  result.order = tokenizer.order();
  result.ids.assign(ids.begin(), ids.end());
  for (const text::TokenId id : ids) result.pieces.push_back(tokenizer.piece(id));
  return result;
}

align::AttentionMatrix attention_matrix(const SentenceAttention& attention, align::Level level,
                                        std::size_t shift) {
  const align::AttentionMatrix pieces = piece_matrix(attention, shift);
  if (level == align::Level::kPiece) return pieces;
  const draw::PageWords words = words_of(attention, pieces);
  return align::merge_to_words(pieces, words.target, words.source);
}

align::AttentionMatrix attention_matrix(const SentenceAttention& attention, const PairWords& words,
                                        std::size_t shift) {
  const align::AttentionMatrix pieces = piece_matrix(attention, shift);
  return align::merge_to_words(pieces,
                               word_groups(attention.target, words.target, pieces.target_end),
                               word_groups(attention.source, words.source, pieces.source_end));
}

std::vector<align::AttentionKind> attention_kinds(const SentenceMaps& sentence, align::Level level,
                                                  std::size_t shift) {
  std::vector<align::AttentionKind> kinds = piece_kinds(sentence, shift);
  if (level == align::Level::kPiece) return kinds;
  for (align::AttentionKind& kind : kinds) kind = merged(kind, sentence.source, sentence.target);
  return kinds;
}

draw::PageReading page_reading(const SentenceAttention& attention, std::size_t shift,
                               const decode::AttentionMaps& maps) {
  draw::PageReading reading{
      .matrix = piece_matrix(attention, shift),
      .words = {},
      .links = {},
      .score = {},
      .kinds = piece_kinds({attention.source, attention.target, maps}, shift)};
  reading.words = words_of(attention, reading.matrix);
  return reading;
}

}  // namespace attend::app
