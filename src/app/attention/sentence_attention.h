#pragma once
#include <torch/types.h>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "align/attention_json.h"
#include "align/attention_kinds.h"
#include "align/attention_matrix.h"
#include "align/word_merge.h"
#include "core/utf8.h"
#include "decode/attention/attention_maps.h"
#include "draw/attention_page.h"
#include "text/tokenizer.h"

namespace attend::app {

/// A line as a model reads or writes it: its pieces and the bytes that each piece covers.
struct TokenizedLine {
  std::string text;
  std::vector<text::TokenId> ids;
  std::vector<std::string> pieces;
  std::vector<utf8::Span> spans;
  text::PieceOrder order = text::PieceOrder::kReading;  ///< of ids, pieces and spans
};

[[nodiscard]] TokenizedLine tokenize_line(const text::Tokenizer& tokenizer, std::string_view line);

/// Keeps the first `most_pieces` pieces and frees the memory of the others; the text stays. Returns
/// the number of pieces removed.
int64_t cut(TokenizedLine& line, int64_t most_pieces);

/// Cuts the text after the word that contains its last piece.
void end_at_last_piece(TokenizedLine& line);

/// The word of each piece of a line, in reading order; with `end`, of the end symbol too. The end
/// symbols between several sources belong to the last group.
[[nodiscard]] align::WordGroups word_groups(const TokenizedLine& line, bool end);

/// Detokenizes the output of a model; `unknown` as in Tokenizer::decode_with_spans.
[[nodiscard]] TokenizedLine detokenize_line(const text::Tokenizer& tokenizer,
                                            std::span<const text::TokenId> ids,
                                            std::span<const std::string> unknown = {});

/// The attention of a model while it wrote `target`.
struct SentenceAttention {
  const TokenizedLine& source;
  const TokenizedLine& target;
  /// [T + 1, S], float, on the CPU: a row for each piece of `target` and for its end symbol. S may
  /// include the source's end symbol or not. Undefined: no attention.
  torch::Tensor weights;
  torch::Tensor heads;  // [heads, T + 1, S]; undefined unless there are several
};

/// The weights in reading order with names for rows and columns; `shift` as in align::shift_rows.
/// Throws std::logic_error if tensors and pieces do not fit.
[[nodiscard]] align::AttentionMatrix attention_matrix(const SentenceAttention& attention,
                                                      align::Level level, std::size_t shift = 0);

/// Words of the lines of a pair, in order.
struct PairWords {
  std::vector<utf8::Span> source;
  std::vector<utf8::Span> target;
};

/// The weights merged to the given words.
[[nodiscard]] align::AttentionMatrix attention_matrix(const SentenceAttention& attention,
                                                      const PairWords& words, std::size_t shift);

/// The lines of a pair with all its attention maps.
struct SentenceMaps {
  const TokenizedLine& source;
  const TokenizedLine& target;
  const decode::AttentionMaps& maps;
};

/// The kinds in `maps`, in the order of align::attention_kind_names(), with names for rows and
/// columns. `shift` applies to the attention to the source. The decoder's columns are its inputs,
/// "<s>" first.
[[nodiscard]] std::vector<align::AttentionKind> attention_kinds(const SentenceMaps& sentence,
                                                                align::Level level,
                                                                std::size_t shift = 0);

/// The attention of a sentence for an HTML page with pieces and words; without links and score.
[[nodiscard]] draw::PageReading page_reading(const SentenceAttention& attention,
                                             std::size_t shift = 0,
                                             const decode::AttentionMaps& maps = {});

}  // namespace attend::app
