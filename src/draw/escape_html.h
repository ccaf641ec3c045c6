#pragma once
#include <string>
#include <string_view>

namespace attend::draw {

/// `text` with & < > " as entities and U+FFFD for ill-formed UTF-8 (names of files may be any
/// bytes).
[[nodiscard]] std::string escape_html(std::string_view text);

}  // namespace attend::draw
