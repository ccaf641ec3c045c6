#pragma once
#include <compare>
#include <cstdint>
#include <set>
#include <string>

namespace attend::align {

/// A word of the source sentence that goes with a word of the target sentence; positions from 0.
struct Link {
  int64_t source = 0;
  int64_t target = 0;
  auto operator<=>(const Link&) const = default;
};

/// The links of one sentence pair, by source position, then target position.
using Links = std::set<Link>;

/// Links made by people (or known by construction). Every sure link is possible too.
struct GoldLinks {
  Links sure;
  Links possible;
};

/// "0-0 1-2", the format of Pharaoh and Moses; empty for no links.
[[nodiscard]] std::string format_pharaoh(const Links& links);

/// The same links seen from the other side: source and target change places.
[[nodiscard]] Links transposed(const Links& links);

}  // namespace attend::align
