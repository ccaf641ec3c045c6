#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "text/vocabulary.h"

namespace attend::decode {

/// Returns the tokens that must not follow `tokens` if no run of `size` tokens may occur twice in
/// an output (Paulus et al. 2018): those that followed an earlier occurrence of the last `size` - 1
/// tokens, once per occurrence. Requires: size >= 1.
[[nodiscard]] std::vector<text::TokenId> repeating_tokens(std::span<const text::TokenId> tokens,
                                                          int64_t size);

}  // namespace attend::decode
