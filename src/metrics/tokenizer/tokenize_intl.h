#pragma once
#include <string>
#include <string_view>

namespace attend::metrics {

/// The tokenization of NIST's mteval-v14.pl for any script, as in sacreBLEU 2.x. Applies three
/// rules to the whole line, using Unicode's general categories:
///   1. punctuation (P) after anything but a number (N): spaces around it
///   2. punctuation before anything but a number: spaces around it
///   3. symbols (S): spaces around them
/// Rules 1 and 2 need two characters, so a period after a number at the end of a line is not split.
[[nodiscard]] std::string tokenize_intl(std::string_view line);

}  // namespace attend::metrics
