#pragma once
#include <cstddef>
#include <utility>

namespace attend::metrics {

/// Replaces every occurrence of `from`, which is not empty, from left to right, as Python's
/// str.replace(). Each character is moved at most a few times, however many occurrences there are.
template <class Text>
void replace_all(Text& text, typename Text::const_pointer from, typename Text::const_pointer to) {
  using Traits = typename Text::traits_type;
  std::size_t at = text.find(from);
  if (at == Text::npos) return;
  // Into a new text: replacing in place moves the rest of the line each time.
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
