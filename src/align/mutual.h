#pragma once
#include <optional>

#include "align/attention_matrix.h"
#include "align/links.h"

namespace attend::align {

/// The mean weights of both directions, [target, source], without end symbols. The arguments are
/// those of mutual_links().
[[nodiscard]] WeightTable mean_weights(const AttentionMatrix& forward,
                                       const AttentionMatrix& reverse);

/// Links words by the mean of the attention weights of two directions. Two words are linked if each
/// has the largest weight for the other (the first one of a tie); with `threshold`, if their weight
/// is at least the threshold. A confident direction can thus overrule an uncertain one, which is
/// impossible when only links are combined. In the spirit of "Alignment by Agreement" (Liang,
/// Taskar & Klein 2006), which multiplies posteriors.
///
/// `forward` is the matrix of words of a source-to-target model, and `reverse` that of a
/// target-to-source model, whose rows are source words. End symbols and words that one of the
/// models did not read are never linked. A matrix without weights has no links.
[[nodiscard]] Links mutual_links(const AttentionMatrix& forward, const AttentionMatrix& reverse,
                                 std::optional<float> threshold = std::nullopt);

}  // namespace attend::align
