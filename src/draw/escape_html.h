#pragma once
#include <string>
#include <string_view>

namespace attend::draw {

/// `text` with & < > " as entities and ill-formed UTF-8, which file names may contain, as U+FFFD.
[[nodiscard]] std::string escape_html(std::string_view text);

}  // namespace attend::draw
