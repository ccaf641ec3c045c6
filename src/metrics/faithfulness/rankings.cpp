#include "metrics/faithfulness/rankings.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace attend::metrics {
namespace {

int order_of(double x, double y) {
  return (x > y ? 1 : 0) - (x < y ? 1 : 0);
}

}  // namespace

std::optional<double> kendall_tau(std::span<const double> a, std::span<const double> b) {
  int64_t agreement = 0;  // concordant minus discordant pairs
  int64_t untied_a = 0;
  int64_t untied_b = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const int64_t in_a = order_of(a[i], a[j]);
      const int64_t in_b = order_of(b[i], b[j]);
      agreement += in_a * in_b;
      untied_a += in_a * in_a;
      untied_b += in_b * in_b;
    }
  }
  if (untied_a == 0 || untied_b == 0) return std::nullopt;
  return static_cast<double>(agreement) /
         std::sqrt(static_cast<double>(untied_a) * static_cast<double>(untied_b));
}

std::vector<std::size_t> ranked(std::span<const double> importance) {
  std::vector<std::size_t> order(importance.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(
      order, [&](std::size_t i, std::size_t j) { return importance[i] > importance[j]; });
  return order;
}

double top_overlap(std::span<const double> a, std::span<const double> b, std::size_t k) {
  const std::vector<std::size_t> by_a = ranked(a);
  const std::vector<std::size_t> by_b = ranked(b);
  const std::span<const std::size_t> top = std::span(by_b).first(k);
  const auto shared =
      std::count_if(by_a.begin(), by_a.begin() + static_cast<std::ptrdiff_t>(k),
                    [&](std::size_t word) { return std::ranges::find(top, word) != top.end(); });
  return static_cast<double>(shared) / static_cast<double>(k);
}

}  // namespace attend::metrics
