#include "metrics/faithfulness/replacements.h"

#include <algorithm>
#include <numeric>

namespace attend::metrics {
namespace {

double sum_of(std::span<const double> weights) {
  return std::accumulate(weights.begin(), weights.end(), 0.0);
}

std::vector<double> permuted(std::span<const double> weights,
                             std::span<const std::size_t> permutation) {
  std::vector<double> result;
  for (const std::size_t position : permutation) result.push_back(weights[position]);
  return result;
}

std::vector<double> on_one(std::span<const double> weights, std::size_t position) {
  std::vector<double> result(weights.size());
  result[position] = sum_of(weights);
  return result;
}

std::vector<double> spread_rest(std::span<const double> weights, std::size_t kept) {
  const double rest = sum_of(weights) - weights[kept];
  std::vector<double> result(weights.size(), rest / static_cast<double>(weights.size() - 1));
  result[kept] = weights[kept];
  return result;
}

}  // namespace

Pivot drawn_pivot(std::span<const double> weights, Random& random) {
  const auto largest = std::ranges::max_element(weights) - weights.begin();
  Pivot pivot{static_cast<std::size_t>(largest), std::vector<std::size_t>(weights.size())};
  std::iota(pivot.permutation.begin(), pivot.permutation.end(), std::size_t{0});
  for (int i = 0; i < kPermutationTries; ++i) {
    random.shuffle(pivot.permutation);
    if (pivot.permutation[pivot.largest] != pivot.largest) break;
  }
  return pivot;
}

std::vector<double> replaced(std::span<const double> weights, Replacement how, const Pivot& pivot) {
  switch (how) {
    case Replacement::permuted:
      return permuted(weights, pivot.permutation);
    case Replacement::uniform:
      return std::vector(weights.size(), sum_of(weights) / static_cast<double>(weights.size()));
    case Replacement::without_largest:
      return without(weights, {&pivot.largest, 1});
    case Replacement::only_largest:
      return on_one(weights, pivot.largest);
    case Replacement::last:
      return on_one(weights, weights.size() - 1);
    case Replacement::largest_kept:
      return spread_rest(weights, pivot.largest);
  }
  return {};
}

std::vector<double> without(std::span<const double> weights,
                            std::span<const std::size_t> positions) {
  std::vector<double> result(weights.begin(), weights.end());
  for (const std::size_t position : positions) result[position] = 0.0;
  const double left = sum_of(result);
  if (left <= 0.0) return result;
  const double factor = sum_of(weights) / left;
  for (double& weight : result) weight *= factor;
  return result;
}

}  // namespace attend::metrics
