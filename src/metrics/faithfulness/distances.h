#pragma once
#include <span>

namespace attend::metrics {

/// Total variation distance of two distributions over the same outcomes: 1/2 sum |p - q|, from 0 to
/// 1. Requires: equal sizes.
[[nodiscard]] double total_variation(std::span<const double> p, std::span<const double> q);

/// Jensen-Shannon divergence in nats, from 0 to ln 2, with m = (p + q) / 2:
///   1/2 sum p ln(p / m) + 1/2 sum q ln(q / m).
/// Requires: equal sizes.
[[nodiscard]] double jensen_shannon(std::span<const double> p, std::span<const double> q);

}  // namespace attend::metrics
