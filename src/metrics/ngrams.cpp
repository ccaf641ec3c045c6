#include "metrics/ngrams.h"

#include <algorithm>

namespace attend::metrics {

std::vector<uint32_t> TokenNumbers::number(std::span<const std::string_view> tokens) {
  std::vector<uint32_t> numbers;
  numbers.reserve(tokens.size());
  for (const std::string_view token : tokens) {
    const auto next = static_cast<uint32_t>(numbers_.size() + 1);
    numbers.push_back(numbers_.try_emplace(token, next).first->second);
  }
  return numbers;
}

std::vector<NgramCount> count_ngrams(std::span<const uint32_t> tokens, std::size_t order) {
  std::vector<Ngram> all;
  for (std::size_t i = 0; i + order <= tokens.size(); ++i) {
    Ngram ngram{};
    std::ranges::copy(tokens.subspan(i, order), ngram.begin());
    all.push_back(ngram);
  }
  std::ranges::sort(all);
  std::vector<NgramCount> counts;
  for (const Ngram& ngram : all) {
    if (counts.empty() || counts.back().ngram != ngram) counts.push_back({ngram, 0});
    ++counts.back().count;
  }
  return counts;
}

std::vector<NgramCount> largest_counts(std::span<const NgramCount> a,
                                       std::span<const NgramCount> b) {
  std::vector<NgramCount> merged;
  std::ranges::merge(a, b, std::back_inserter(merged), {}, &NgramCount::ngram, &NgramCount::ngram);
  std::vector<NgramCount> largest;
  for (const NgramCount& entry : merged) {
    if (largest.empty() || largest.back().ngram != entry.ngram) {
      largest.push_back(entry);
    } else {
      largest.back().count = std::max(largest.back().count, entry.count);
    }
  }
  return largest;
}

int64_t clipped_matches(std::span<const NgramCount> a, std::span<const NgramCount> b) {
  int64_t matches = 0;
  auto other = b.begin();
  for (const NgramCount& entry : a) {
    while (other != b.end() && other->ngram < entry.ngram) ++other;
    if (other != b.end() && other->ngram == entry.ngram)
      matches += std::min(entry.count, other->count);
  }
  return matches;
}

}  // namespace attend::metrics
