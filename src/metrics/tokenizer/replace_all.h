#pragma once
#include <cstddef>
#include <utility>

namespace attend::metrics {

/// Replaces every occurrence of `from` (not empty) from left to right, as Python's str.replace().
/// Takes linear time.
template <class Text>
void replace_all(Text& text, typename Text::const_pointer from, typename Text::const_pointer to) {
  using Traits = typename Text::traits_type;
  std::size_t at = text.find(from);
  if (at == Text::npos) return;
  // Builds a new text: replacing in place would move the rest of the line each time.
  Text replaced;
  replaced.reserve(text.size());
  std::size_t begin = 0;
  for (; at != Text::npos; at = text.find(from, begin)) {
    replaced.append(text, begin, at - begin).append(to);
    begin = at + Traits::length(from);
  }
  text = std::move(replaced.append(text, begin));
}

}  // namespace attend::metrics
