#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace attend {

/// Makes arbitrary `text` safe to quote in a message. Control characters except tabs become '?',
/// ill-formed bytes become U+FFFD, and text beyond `most` characters becomes "...".
[[nodiscard]] std::string excerpt(std::string_view text, std::size_t most = 60);

/// Escapes the characters that a terminal would interpret: control characters become "\n", "\t" or
/// "\x1b", and bidirectional controls become "\u202e". Ill-formed bytes become U+FFFD.
[[nodiscard]] std::string escape_controls(std::string_view text);

}  // namespace attend
