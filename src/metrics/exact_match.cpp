#include "metrics/exact_match.h"

#include <fmt/format.h>

#include <algorithm>

#include "metrics/unicode_text.h"

namespace attend::metrics {
namespace {

std::string_view without_trailing_space(std::string_view line) {
  const auto words = split_whitespace(line);
  if (words.empty()) return {};
  return line.substr(
      0, static_cast<std::size_t>(words.back().data() + words.back().size() - line.data()));
}

}  // namespace

std::string ExactMatch::preprocess(std::string_view line) const {
  const std::string_view text = without_trailing_space(line);
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

std::string ExactMatch::signature(std::size_t references) const {
  return fmt::format("nrefs:{}|case:{}|{}", references, lowercase_ ? "lc" : "mixed",
                     version_signature());
}

}  // namespace attend::metrics
