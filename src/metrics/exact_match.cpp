#include "metrics/exact_match.h"

#include <fmt/format.h>

#include <algorithm>

#include "metrics/unicode_text.h"

namespace attend::metrics {
std::string ExactMatch::preprocess(std::string_view line) const {
  const std::string_view text = strip_end(line);
  return lowercase_ ? lower_case(text) : std::string(text);
}

Statistics ExactMatch::segment_statistics(std::string_view hypothesis,
                                          std::span<const std::string_view> references) const {
  const std::string text = preprocess(hypothesis);
  const bool equal = std::ranges::any_of(
      references, [&](std::string_view line) { return preprocess(line) == text; });
  return {equal ? 1.0 : 0.0, 1.0};
}

Score ExactMatch::score(std::span<const double> statistics) const {
  if (statistics[1] == 0) return {0.0, "(0 of 0 lines)"};
  return {100.0 * statistics[0] / statistics[1],
          fmt::format("({:.0f} of {:.0f} lines)", statistics[0], statistics[1])};
}

std::string ExactMatch::options() const {
  return fmt::format("case:{}", lowercase_ ? "lc" : "mixed");
}

}  // namespace attend::metrics
