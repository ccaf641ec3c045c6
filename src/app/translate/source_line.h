#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "app/attention/sentence_attention.h"
#include "app/model/loaded_model.h"

namespace attend::app {

/// What stands between the sources of a line of input for a model of several.
inline constexpr char kBetweenSources = '\t';

/// A source line in pieces.
struct SourcePieces {
  TokenizedLine line;
  int64_t dropped = 0;  ///< pieces beyond the limit
  bool counted = true;  ///< false: there are more of them
};

/// A line as a model reads it, of each source at most `limit` pieces (negative: all). A model of
/// several sources reads them from one line, in the order of their names, with tabs between; an end
/// symbol stands for each tab. An empty line has all of them, empty. Throws DataError if the line,
/// number `number` from 1, has another number of them.
[[nodiscard]] SourcePieces cut_source(const LoadedModel& model, std::string_view line,
                                      int64_t limit, int64_t number);

/// The token between the segments or the sources of a line in records of attention; empty: there is
/// none. As words, sources have none between them.
[[nodiscard]] std::string token_between(const LoadedModel& model, align::Level level);

/// Whether a line has no words in any source, so that its translation has none.
[[nodiscard]] bool is_empty(const TokenizedLine& source);

}  // namespace attend::app
