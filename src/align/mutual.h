#pragma once
#include <optional>

#include "align/attention_matrix.h"
#include "align/links.h"

namespace attend::align {

/// Links from the weights of two directions in place of their links. Two words weigh what they
/// weigh in the mean of both matrices, and are linked if each is the other's heaviest (the first of
/// equals); with `threshold`, if they weigh at least that. So a direction that is sure can overrule
/// one that is not, which no join of links can do (in the spirit of "Alignment by Agreement",
/// Liang, Taskar & Klein 2006, whose posteriors are multiplied).
///
/// `forward`: words of a model from source to target; `reverse`: of one from target to source,
/// whose rows are the source words. End symbols take part in no link, nor do words that one of the
/// models did not read. A matrix without weights has no links.
[[nodiscard]] Links mutual_links(const AttentionMatrix& forward, const AttentionMatrix& reverse,
                                 std::optional<float> threshold = std::nullopt);

}  // namespace attend::align
