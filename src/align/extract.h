#pragma once
#include <optional>

#include "align/attention_matrix.h"
#include "align/links.h"

namespace attend::align {

/// Links of a matrix of words. The end symbols take part in no link.
/// Without `threshold` each target word is linked to the source word of largest weight (the first
/// of equals), and to none if the end symbol's weight is larger still (it is the model's "nothing
/// here") or if all its weights are zero. With `threshold` it is linked to every source word of at
/// least that weight (above zero). A matrix without weights has no links.
[[nodiscard]] Links extract_links(const AttentionMatrix& words,
                                  std::optional<float> threshold = std::nullopt);

}  // namespace attend::align
