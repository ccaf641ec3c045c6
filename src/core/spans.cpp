#include "core/spans.h"

#include <algorithm>

namespace attend::utf8 {

const Span* last_before(std::span<const Span> spans, std::size_t byte) {
  const auto after = std::ranges::lower_bound(spans, byte, {}, &Span::begin);
  return after == spans.begin() ? nullptr : &*(after - 1);
}

}  // namespace attend::utf8
