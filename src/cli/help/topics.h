#pragma once
#include <span>
#include <string_view>

namespace attend::cli {

/// A page of `attend help TOPIC`: the short form of a guide.
struct Topic {
  std::string_view name;
  std::string_view meaning;
  std::string_view text;  ///< lines of at most 80 characters
};

/// All topics, by name.
[[nodiscard]] std::span<const Topic> topics();

}  // namespace attend::cli
