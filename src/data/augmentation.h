#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "data/options.h"

namespace attend::data {

/// A change of a training pair (data.augment).
enum class Change { none, upper_case, title_case, no_final_mark, typos, two_sentences };

/// Draws a change with the probabilities `options`. The same seed always gives the same change.
[[nodiscard]] Change draw_change(const AugmentOptions& options, uint64_t seed);

/// A side of a pair.
enum class Side { source, target };

/// Applies a change to `line`. Two changes leave the line as it is: two_sentences, which needs
/// another line, and typos in a target. `seed` determines the typing errors.
[[nodiscard]] std::string changed(std::string_view line, Change change, Side side, uint64_t seed);

}  // namespace attend::data
