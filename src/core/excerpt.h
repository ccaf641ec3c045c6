#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace attend {

/// `text` as a message may quote it, whatever it holds: control characters (other than tabs) and
/// ill-formed bytes become '?' and U+FFFD, and what follows the first `most` characters becomes
/// "...".
[[nodiscard]] std::string excerpt(std::string_view text, std::size_t most = 60);

/// `text` with what a terminal would obey written out instead: control characters as "\n", "\t" or
/// "\x1b", and those that turn the direction of text as "\u202e". Ill-formed bytes become U+FFFD.
[[nodiscard]] std::string escape_controls(std::string_view text);

}  // namespace attend
