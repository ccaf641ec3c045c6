#include "metrics/faithfulness/distances.h"

#include <algorithm>
#include <cmath>

namespace attend::metrics {

double total_variation(std::span<const double> p, std::span<const double> q) {
  double sum = 0.0;
  for (std::size_t i = 0; i < p.size(); ++i) sum += std::abs(p[i] - q[i]);
  return sum / 2.0;
}

double jensen_shannon(std::span<const double> p, std::span<const double> q) {
  const auto term = [](double x, double mean) { return x > 0.0 ? x * std::log(x / mean) : 0.0; };
  double sum = 0.0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    const double mean = (p[i] + q[i]) / 2.0;
    sum += term(p[i], mean) + term(q[i], mean);
  }
  return std::max(0.0, sum / 2.0);  // rounding may leave a tiny negative number
}

}  // namespace attend::metrics
