#pragma once
#include <string>

#include "align/attention_matrix.h"

namespace attend::align {

/// Sums the weights over the source tokens of each segment: [target, segments]. A segment ends with
/// a token `separator`, which is part of the segment, or at the end of the line. SentencePiece's
/// blank mark may precede the separator. Requires: the matrix has weights.
[[nodiscard]] WeightTable segment_shares(const AttentionMatrix& matrix,
                                         const std::string& separator);

}  // namespace attend::align
