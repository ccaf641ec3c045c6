#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace attend {

/// Edits (insert, delete, replace, swap of neighbours; each one counts 1) that turn `a` into `b`,
/// over bytes.
[[nodiscard]] std::size_t edit_distance(std::string_view a, std::string_view b);

/// The candidate nearest to `name` within an edit distance of 2 that leaves half of the longer one
/// as it is (the first of equals), for "did you mean" hints.
[[nodiscard]] std::optional<std::string> closest_name(std::string_view name,
                                                      std::span<const std::string> candidates);

/// `; did you mean "general"?`, or nothing if no candidate is near.
[[nodiscard]] std::string did_you_mean(std::string_view name,
                                       std::span<const std::string> candidates);

/// "a, b, c".
[[nodiscard]] std::string join(std::span<const std::string> parts,
                               std::string_view separator = ", ");

}  // namespace attend
