#include "app/sentence_attention.h"

#include <algorithm>

#include "align/word_merge.h"
#include "text/long_line.h"

namespace attend::app {

namespace {

constexpr std::string_view kEndName = "</s>";

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

/// Pieces in reading order; a shift counts steps of the model.
align::AttentionMatrix piece_matrix(const SentenceAttention& attention, std::size_t shift) {
  align::AttentionMatrix matrix = align::shift_rows(piece_matrix(attention), shift);
  const bool reversed = attention.target.order == text::PieceOrder::kReversed;
  return reversed ? align::turn_rows(matrix) : matrix;
}

/// Of the pieces in reading order.
align::WordGroups groups_of(const TokenizedLine& line, bool end) {
  std::vector<utf8::Span> spans = line.spans;
  if (line.order == text::PieceOrder::kReversed) std::ranges::reverse(spans);
  return align::group_by_words(line.text, spans, end, kEndName);
}

draw::PageWords words_of(const SentenceAttention& attention, const align::AttentionMatrix& pieces) {
  return {.source = groups_of(attention.source, pieces.source_end),
          .target = groups_of(attention.target, pieces.target_end)};
}

}  // namespace

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

draw::PageReading page_reading(const SentenceAttention& attention, std::size_t shift) {
  draw::PageReading reading{
      .matrix = piece_matrix(attention, shift), .words = {}, .links = {}, .score = {}};
  reading.words = words_of(attention, reading.matrix);
  return reading;
}

}  // namespace attend::app
