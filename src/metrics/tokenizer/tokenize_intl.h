#pragma once
#include <string>
#include <string_view>

namespace attend::metrics {

/// The tokenization of NIST's mteval-v14.pl for any script, as sacreBLEU 2.x does it. By Unicode's
/// general categories, three rules over the whole line:
///   1. punctuation (P) after anything but a number (N): spaces around it
///   2. punctuation before anything but a number: spaces around it
///   3. symbols (S): spaces around them
/// Nothing follows the last character, so a period after a number at the end of a line stays there.
[[nodiscard]] std::string tokenize_intl(std::string_view line);

}  // namespace attend::metrics
