#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "text/vocabulary.h"

namespace attend::decode {

/// Returns the tokens that must not follow `tokens` if no sequence of `size` tokens may occur twice
/// in an output (Paulus et al. 2018). These are the tokens that followed earlier occurrences of the
/// last `size` - 1 tokens, listed once per occurrence. Requires: size >= 1.
[[nodiscard]] std::vector<text::TokenId> repeating_tokens(std::span<const text::TokenId> tokens,
                                                          int64_t size);

}  // namespace attend::decode
