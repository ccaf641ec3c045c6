#pragma once
#include <string>
#include <string_view>

namespace attend::metrics {

/// The tokenization of NIST's mteval-v13a.pl as in sacreBLEU 2.x: drops "<skipped>", unescapes
/// &quot; &amp; &lt; &gt;, then applies separate_western_punctuation().
[[nodiscard]] std::string tokenize_13a(std::string_view line);

/// The language-dependent part of mteval-v13a for Western languages. Applies four rules in order,
/// each to the whole line from left to right without overlaps:
///   1. spaces around ASCII punctuation other than ' , - .
///   2. period or comma after anything but a digit: spaces around it
///   3. period or comma before anything but a digit: spaces around it
///   4. dash after a digit: spaces around it
/// All character classes are ASCII, so the rules work on bytes.
[[nodiscard]] std::string separate_western_punctuation(std::string_view line);

/// Applies rule 1.
[[nodiscard]] std::string separate_ascii_punctuation(std::string_view line);
/// Applies rules 2 to 4 of separate_western_punctuation().
[[nodiscard]] std::string separate_periods_and_dashes(std::string_view line);

/// Unescapes &quot; &amp; &lt; &gt; in this order, so that "&amp;lt;" becomes "<".
void unescape_entities(std::string& text);

}  // namespace attend::metrics
