#pragma once
#include <string>
#include <string_view>

namespace attend::metrics {

/// Every code point is a token, combining marks included, and whitespace none: sacreBLEU's "char".
[[nodiscard]] std::string tokenize_char(std::string_view line);

}  // namespace attend::metrics
