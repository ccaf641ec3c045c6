#pragma once
#include <string>

#include "align/attention_matrix.h"

namespace attend::align {

/// What the source tokens of each segment got together, [target, segments]. A segment ends with a
/// token `separator`, which is its own, or with the line; a blank mark of SentencePiece before the
/// separator does not count. Requires: weights.
[[nodiscard]] WeightTable segment_shares(const AttentionMatrix& matrix,
                                         const std::string& separator);

}  // namespace attend::align
