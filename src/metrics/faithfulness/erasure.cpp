#include "metrics/faithfulness/erasure.h"

#include <algorithm>
#include <numeric>

namespace attend::metrics {

std::size_t share_of(std::size_t words, int percent) {
  return (words * static_cast<std::size_t>(percent) + 99) / 100;
}

std::vector<std::size_t> erased_counts(std::size_t words) {
  std::vector<std::size_t> counts;
  for (const int percent : kErasedPercents) counts.push_back(share_of(words, percent));
  return counts;
}

double share_until_change(const std::vector<bool>& changed) {
  const auto first = std::ranges::find(changed, true);
  if (first == changed.end()) return 1.0;
  return static_cast<double>(first - changed.begin() + 1) / static_cast<double>(changed.size());
}

double area_over_curve(double before, const std::vector<double>& after) {
  const double sum = std::accumulate(after.begin(), after.end(), 0.0);
  return before - sum / static_cast<double>(after.size());
}

}  // namespace attend::metrics
