#pragma once
#include <compare>
#include <cstdint>
#include <set>
#include <string>

namespace attend::align {

/// A link between a source word and a target word; positions start at 0.
struct Link {
  int64_t source = 0;
  int64_t target = 0;
  auto operator<=>(const Link&) const = default;
};

/// The links of one sentence pair, sorted by source position, then target position.
using Links = std::set<Link>;

/// Reference links, made by human annotators or known by construction. `possible` includes all sure
/// links.
struct GoldLinks {
  Links sure;
  Links possible;
};

/// Formats links as Pharaoh and Moses do: "0-0 1-2". Empty for no links.
[[nodiscard]] std::string format_pharaoh(const Links& links);

/// Swaps source and target in every link.
[[nodiscard]] Links transposed(const Links& links);

}  // namespace attend::align
