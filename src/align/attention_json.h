#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "align/attention_kinds.h"
#include "align/attention_matrix.h"

namespace attend::align {

/// What the tokens of a matrix are.
enum class Level { kPiece, kWord };

/// "piece", "word". Throws UsageError that lists the choices.
[[nodiscard]] Level parse_level(std::string_view name);
[[nodiscard]] std::vector<std::string> level_names();

/// What an attention record says besides the matrix.
struct AttentionRecord {
  int64_t id = 0;    ///< the sentence's line, from 0
  int64_t rank = 0;  ///< place in the n-best list, from 0
  Level level = Level::kPiece;
  std::optional<double> score;  ///< log-probability; left out if not set
  std::string separator = {};   ///< of segments that the source has; empty: none
};

/// One line of an attention file, without LF: {"id": ..., "rank": ..., "level": ..., "source":
/// [...], "target": [...], "attention": [[...], ...] or null, "heads": [...] if there are several,
/// "segments": [[...], ...], as segment_shares() has them, if there is a separator,
/// "score": ...}. Every weight has the fewest digits that give the same float again.
///
/// With `kinds` there is also "kinds": {"encoder": {"layers": [[table of each head, ...] of each
/// layer, ...], "rollout": table}, ...}, where those of "encoder" have rows and columns "source",
/// those of "cross" "target" and "source", and those of "decoder" rows "target" and columns
/// "target_input": [...], a further key. Those of "encoder_memory" and "decoder_memory" have rows
/// "source" and "target" and a column for each slot; the first head is the one that writes.
/// "rollout" is left out where there is none.
[[nodiscard]] std::string attention_json(const AttentionRecord& record,
                                         const AttentionMatrix& matrix,
                                         const std::vector<AttentionKind>& kinds = {});

}  // namespace attend::align
