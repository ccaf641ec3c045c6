#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace attend {

/// The fewest edits that turn `a` into `b`, in bytes. Inserting, deleting or replacing a byte and
/// swapping two neighbours cost 1 each.
[[nodiscard]] std::size_t edit_distance(std::string_view a, std::string_view b);

/// The candidate nearest to `name`, for "did you mean" hints; the first one of a tie. Its edit
/// distance, without regard to case, is at most 2 and at most half the length of the longer string.
[[nodiscard]] std::optional<std::string> closest_name(std::string_view name,
                                                      std::span<const std::string> candidates);

/// `; did you mean "general"?`, or an empty string if no candidate is near.
[[nodiscard]] std::string did_you_mean(std::string_view name,
                                       std::span<const std::string> candidates);

/// "a, b, c".
[[nodiscard]] std::string join(std::span<const std::string> parts,
                               std::string_view separator = ", ");

}  // namespace attend
