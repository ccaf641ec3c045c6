#pragma once
#include <string>

#include "align/attention_matrix.h"

namespace attend::align {

/// Sums the weights over the source tokens of each segment: [target, segments]. A segment ends with
/// a token `separator`, which belongs to it, or with the line. The separator may have
/// SentencePiece's blank mark in front. Requires: the matrix has weights.
[[nodiscard]] WeightTable segment_shares(const AttentionMatrix& matrix,
                                         const std::string& separator);

}  // namespace attend::align
