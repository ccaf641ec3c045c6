#pragma once
#include <array>
#include <cstddef>
#include <vector>

namespace attend::metrics {

/// The shares of source words that are erased or kept, in percent (DeYoung et al. 2020, ERASER).
inline constexpr std::array<int, 5> kErasedPercents{1, 5, 10, 20, 50};

/// `percent` of `words`, rounded up. Requires: 0 < percent <= 100.
[[nodiscard]] std::size_t share_of(std::size_t words, int percent);

/// share_of() for each of kErasedPercents.
[[nodiscard]] std::vector<std::size_t> erased_counts(std::size_t words);

/// The share of positions that must be removed until the decision changes; 1 if it never changes.
/// changed[k] is true if it differs with the first k + 1 positions removed. Requires: not empty.
[[nodiscard]] double share_until_change(const std::vector<bool>& changed);

/// The area over the perturbation curve (Samek et al. 2017, as in ERASER): the mean of
/// before - after[i]. Requires: not empty.
[[nodiscard]] double area_over_curve(double before, const std::vector<double>& after);

}  // namespace attend::metrics
