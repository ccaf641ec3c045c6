#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "align/attention_kinds.h"
#include "align/attention_matrix.h"

namespace attend::align {

/// The tokens of a matrix: pieces or words.
enum class Level { kPiece, kWord };

/// Parses "piece" or "word". Throws UsageError that lists the choices.
[[nodiscard]] Level parse_level(std::string_view name);
[[nodiscard]] std::vector<std::string> level_names();

/// The fields of an attention record besides the matrix.
struct AttentionRecord {
  int64_t id = 0;    ///< line number of the sentence, from 0
  int64_t rank = 0;  ///< rank in the n-best list, from 0
  Level level = Level::kPiece;
  std::optional<double> score;  ///< log-probability; omitted if not set
  std::string separator = {};   ///< separates segments of the source; empty: no segments
};

/// One line of an attention file, without LF: {"id": ..., "rank": ..., "level": ..., "source":
/// [...], "target": [...], "attention": [[...], ...] or null, "heads": [...] if there are several,
/// "segments": [[...], ...] (segment_shares()) if there is a separator, "score": ...}. Every weight
/// has the fewest digits that restore the same float.
///
/// With `kinds`, adds "kinds": {"encoder": {"layers": [[table of each head, ...] of each layer,
/// ...], "rollout": table}, ...}. Rows and columns of the tables are:
///   "encoder"         "source", "source"
///   "cross"           "target", "source"
///   "decoder"         "target", "target_input" (an additional key of the record)
///   "encoder_memory"  "source", memory slots
///   "decoder_memory"  "target", memory slots
/// The first head of a memory kind is the one that writes to the slots. "rollout" is omitted if
/// there is none.
[[nodiscard]] std::string attention_json(const AttentionRecord& record,
                                         const AttentionMatrix& matrix,
                                         const std::vector<AttentionKind>& kinds = {});

/// Parses a line of attention_json() at Level::kWord into words and weights. Does not mark end
/// symbols: one may be the last name in `source` or `target`. Throws std::runtime_error, which says
/// what is wrong, for a record without weights and for any other text.
[[nodiscard]] AttentionMatrix parse_word_attention(const std::string& line);

}  // namespace attend::align
