#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace attend::metrics {

/// The parts of `text` between whitespace, where whitespace is what Python's str.split() takes for
/// it: the Unicode spaces and separators, U+0085 and the control characters U+0009-000D and
/// U+001C-001F. sacreBLEU counts tokens so. The views point into `text`. Requires: well-formed
/// UTF-8.
[[nodiscard]] std::vector<std::string_view> split_whitespace(std::string_view text);

/// Lower case by Unicode's full, locale-independent mapping (Unicode 15, section 3.13), final sigma
/// included, as Python's str.lower(). Requires: well-formed UTF-8.
[[nodiscard]] std::string lower_case(std::string_view text);

}  // namespace attend::metrics
