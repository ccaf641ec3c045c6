#pragma once
#include <string>
#include <string_view>

namespace attend::metrics {

/// sacreBLEU's "char": every code point except whitespace is a token, including combining marks.
[[nodiscard]] std::string tokenize_char(std::string_view line);

}  // namespace attend::metrics
