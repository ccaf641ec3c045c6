#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "text/vocabulary.h"

namespace attend::decode {

/// The tokens that must not follow `tokens` if no run of `size` of them may stand twice in an
/// output (Paulus et al. 2018): those that have followed the last `size` - 1 before, in that order,
/// once for every time. Requires: size >= 1.
[[nodiscard]] std::vector<text::TokenId> repeating_tokens(std::span<const text::TokenId> tokens,
                                                          int64_t size);

}  // namespace attend::decode
