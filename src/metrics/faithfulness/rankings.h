#pragma once
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace attend::metrics {

/// Kendall's tau-b of two importance scores of the same words (Kendall 1945): with C concordant and
/// D discordant pairs of words, and n_a, n_b the pairs that are not tied in `a` and in `b`,
///   (C - D) / sqrt(n_a n_b).
/// Nothing if all words are tied in `a` or in `b`. Requires: equal sizes.
[[nodiscard]] std::optional<double> kendall_tau(std::span<const double> a,
                                                std::span<const double> b);

/// Indices of the words, most important first; equally important words in sentence order.
[[nodiscard]] std::vector<std::size_t> ranked(std::span<const double> importance);

/// The share of the `k` most important words by `a` that are among the `k` most important by `b`.
/// Requires: equal sizes, 0 < k <= size.
[[nodiscard]] double top_overlap(std::span<const double> a, std::span<const double> b,
                                 std::size_t k);

}  // namespace attend::metrics
