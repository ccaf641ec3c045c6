#pragma once
#include <cstddef>
#include <span>

#include "core/utf8.h"

namespace attend::utf8 {

/// True if a byte belongs to both.
[[nodiscard]] constexpr bool share_bytes(const Span& a, const Span& b) {
  return a.begin < b.end && b.begin < a.end;
}

/// The last of `spans` that begins before `byte`; null if there is none. Requires: they do not
/// overlap, from left to right.
[[nodiscard]] const Span* last_before(std::span<const Span> spans, std::size_t byte);

}  // namespace attend::utf8
