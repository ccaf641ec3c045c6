#pragma once
#include <string>
#include <string_view>

namespace attend::metrics {

/// sacreBLEU's "zh", after Huang's tokenizeChinese.py of WMT 2017: strips the line, makes every
/// Chinese character a token and applies separate_western_punctuation() to the rest. Reproduces a
/// quirk of sacreBLEU: its two ranges beyond U+FFFF are written with four digits and a fifth
/// character, so they match U+2001-2A6D (dashes, curly quotes, arrows, mathematics, ...) and
/// U+2F81-2FA1, and ideographs of the supplementary planes do not count as Chinese characters.
[[nodiscard]] std::string tokenize_zh(std::string_view line);

}  // namespace attend::metrics
