#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace attend {

/// `text` as a message may quote it, whatever it holds: control characters (other than tabs) and
/// ill-formed bytes become '?' and U+FFFD, and what follows the first `most` characters becomes
/// "...".
[[nodiscard]] std::string excerpt(std::string_view text, std::size_t most = 60);

}  // namespace attend
