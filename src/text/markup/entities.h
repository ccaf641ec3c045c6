#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "core/utf8.h"

namespace attend::text {

/// The character reference at the beginning of `text`: "&amp;", "&#8211;", "&#x2013;", and with
/// `html` also names such as "&ndash;" (those of HTML 4). Nothing for other names, if the
/// semicolon is missing, and for characters that no line of text has (controls, noncharacters).
[[nodiscard]] std::optional<utf8::Character> decode_entity(std::string_view text, bool html);

/// The length in bytes of what looks like a reference ("&name;" or "&#12;") at the beginning of
/// `text`; 0 if there is none.
[[nodiscard]] std::size_t entity_size(std::string_view text);

/// `text` as the content of an XML or HTML element: with &amp;, &lt; and &gt;. Characters that XML
/// does not allow become U+FFFD.
[[nodiscard]] std::string escape_entities(std::string_view text);

}  // namespace attend::text
