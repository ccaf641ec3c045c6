#pragma once
#include <string>
#include <string_view>

namespace attend::metrics {

/// The output of a pair rule for the characters xy.
enum class PairSpacing {
  kAroundFirst,   ///< " x y"
  kAroundSecond,  ///< "x y "
};

/// Inserts spaces into every pair of neighbours for which `matches(x, y)` is true, from left to
/// right. As in a global regular-expression replacement, matches do not overlap.
template <class Char, class Matches>
[[nodiscard]] std::basic_string<Char> space_pairs(std::basic_string_view<Char> line,
                                                  PairSpacing spacing, Matches matches) {
  constexpr Char kSpace = ' ';
  std::basic_string<Char> out;
  out.reserve(line.size() + 16);
  for (std::size_t i = 0; i < line.size();) {
    if (i + 1 == line.size() || !matches(line[i], line[i + 1])) {
      out += line[i++];
    } else if (spacing == PairSpacing::kAroundFirst) {
      out.append({kSpace, line[i], kSpace, line[i + 1]});
      i += 2;
    } else {
      out.append({line[i], kSpace, line[i + 1], kSpace});
      i += 2;
    }
  }
  return out;
}

}  // namespace attend::metrics
