#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "app/attention/sentence_attention.h"
#include "app/model/loaded_model.h"

namespace attend::app {

/// Separates the sources in an input line.
inline constexpr char kBetweenSources = '\t';

/// A source line in pieces.
struct SourcePieces {
  TokenizedLine line;
  int64_t dropped = 0;  ///< pieces beyond the limit
  bool counted = true;  ///< false: `dropped` is a lower bound
};

/// Cuts a line of one source into pieces, at most `limit`.
[[nodiscard]] SourcePieces cut_source(const text::Tokenizer& tokenizer, std::string_view line,
                                      int64_t limit);

/// Cuts a line into pieces, at most `limit` per source. A model of several
/// sources reads them from one line, in the order of their names, separated by tabs; an end symbol
/// replaces each tab. In an empty line all sources are empty. Throws DataError if line `number`
/// (from 1) has another number of sources.
[[nodiscard]] SourcePieces cut_source(const LoadedModel& model, std::string_view line,
                                      int64_t limit, int64_t number);

/// The token between the segments or the sources of a line in attention records; empty if there is
/// none. At word level, no token separates sources.
[[nodiscard]] std::string token_between(const LoadedModel& model, align::Level level);

/// The beginning of `line`, up to the last of its pieces that the model reads.
[[nodiscard]] std::string_view part_read(std::string_view line, const TokenizedLine& source);

/// Returns true if no source of the line has words; its translation is empty.
[[nodiscard]] bool is_empty(const TokenizedLine& source);

}  // namespace attend::app
