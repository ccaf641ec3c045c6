#pragma once
#include <optional>

#include "align/attention_matrix.h"
#include "align/links.h"

namespace attend::align {

/// The links of a matrix of words. End symbols are never linked.
/// Without `threshold`, links each target word to the source word of largest weight (the first one
/// of a tie). A target word gets no link if the end symbol has a larger weight, which means "no
/// source word", or if all weights are zero. With `threshold`, links each target word to every
/// source word whose weight is above 0 and at least `threshold`. Without weights there are no
/// links.
[[nodiscard]] Links extract_links(const AttentionMatrix& words,
                                  std::optional<float> threshold = std::nullopt);

}  // namespace attend::align
