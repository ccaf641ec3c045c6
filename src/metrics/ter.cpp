#include "metrics/ter.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "metrics/ngrams.h"
#include "metrics/ter_shifts.h"
#include "metrics/unicode_text.h"

namespace attend::metrics {

Statistics Ter::segment_statistics(std::string_view hypothesis,
                                   std::span<const std::string_view> references) const {
  std::vector<std::string> texts{tokenize_ter(hypothesis, options_)};
  for (const std::string_view reference : references)
    texts.push_back(tokenize_ter(reference, options_));
  TokenNumbers numbers;
  const auto words = numbers.number(split_whitespace(texts[0]));
  auto edits = std::numeric_limits<int64_t>::max();
  std::size_t reference_words = 0;
  for (std::size_t r = 1; r < texts.size(); ++r) {
    const auto reference = numbers.number(split_whitespace(texts[r]));
    edits = std::min(edits, translation_edits(words, reference));
    reference_words += reference.size();
  }
  return {static_cast<double>(edits),
          static_cast<double>(reference_words) / static_cast<double>(references.size())};
}

Score Ter::score(std::span<const double> statistics) const {
  const double edits = statistics[0];
  const double words = statistics[1];
  if (words > 0) return {100.0 * edits / words, ""};
  return {edits > 0 ? 100.0 : 0.0, ""};
}

std::string Ter::options() const {
  const auto yes_or_no = [](bool value) { return value ? "yes" : "no"; };
  return fmt::format("case:{}|tok:tercom|norm:{}|punct:{}|asian:{}",
                     options_.case_sensitive ? "mixed" : "lc", yes_or_no(options_.normalized),
                     yes_or_no(!options_.no_punct), yes_or_no(options_.asian_support));
}

}  // namespace attend::metrics
