#include "decode/scoring/repeats.h"

#include <algorithm>

namespace attend::decode {

std::vector<text::TokenId> repeating_tokens(std::span<const text::TokenId> tokens, int64_t size) {
  const auto before = static_cast<std::size_t>(size - 1);
  std::vector<text::TokenId> repeating;
  if (tokens.size() < before) return repeating;
  const auto last = tokens.last(before);
  for (std::size_t end = before; end < tokens.size(); ++end) {
    if (std::ranges::equal(tokens.subspan(end - before, before), last))
      repeating.push_back(tokens[end]);
  }
  return repeating;
}

}  // namespace attend::decode
