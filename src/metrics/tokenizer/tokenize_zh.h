#pragma once
#include <string>
#include <string_view>

namespace attend::metrics {

/// sacreBLEU's "zh", after Huang's tokenizeChinese.py of WMT 2017: strips the line, makes every
/// Chinese character a token and applies separate_western_punctuation() to the rest. Its list of
/// ranges is matched as sacreBLEU's code matches it: the two ranges beyond U+FFFF are written there
/// with four digits and a fifth character, so they really mean U+2001-2A6D (dashes and curly
/// quotes, arrows, mathematics, ...) and U+2F81-2FA1, and the ideographs of the supplementary
/// planes are no Chinese characters.
[[nodiscard]] std::string tokenize_zh(std::string_view line);

}  // namespace attend::metrics
