#pragma once
// Replacements for the attention weights of one target position. Every function keeps the sum of
// the weights, which is 1 unless the distribution is sigmoid.
#include <cstddef>
#include <span>
#include <vector>

#include "core/named_enum.h"
#include "core/random.h"

namespace attend::metrics {

/// The six replacements of Moradi, Kambhatla & Sarkar (2019, W19-5620, Sec. 3).
enum class Replacement { permuted, uniform, without_largest, only_largest, last, largest_kept };

constexpr auto name_table(Replacement) {
  return std::to_array<NamedValue<Replacement>>({
      {Replacement::permuted, "permuted", "a random permutation that moves the largest weight"},
      {Replacement::uniform, "uniform", "equal weights"},
      {Replacement::without_largest, "without_largest", "the largest weight set to 0"},
      {Replacement::only_largest, "only_largest", "all weight on the largest"},
      {Replacement::last, "last", "all weight on the last position"},
      {Replacement::largest_kept, "largest_kept", "the largest kept, the rest spread evenly"},
  });
}

/// How many permutations are drawn at most until one moves the largest weight.
inline constexpr int kPermutationTries = 10;

/// Positions that replacements use. Heads that are replaced together share one Pivot.
struct Pivot {
  std::size_t largest = 0;               ///< the position with the largest mean weight
  std::vector<std::size_t> permutation;  ///< position i gets the weight of permutation[i]
};

/// Makes a Pivot for `weights`. Draws up to kPermutationTries permutations, until one moves the
/// largest weight. Requires: at least two weights.
[[nodiscard]] Pivot drawn_pivot(std::span<const double> weights, Random& random);

/// The weights after the replacement `how`. Requires: at least two weights.
[[nodiscard]] std::vector<double> replaced(std::span<const double> weights, Replacement how,
                                           const Pivot& pivot);

/// The weights with those of `positions` set to 0 and the rest scaled up to the same sum; all 0 if
/// the rest is 0.
[[nodiscard]] std::vector<double> without(std::span<const double> weights,
                                          std::span<const std::size_t> positions);

}  // namespace attend::metrics
