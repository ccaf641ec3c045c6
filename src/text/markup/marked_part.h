#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/utf8.h"
#include "text/markup/marked_line.h"

namespace attend::text {

/// A tag inside a text that is translated, with the blanks of the source that go with it.
struct PartTag {
  std::string raw;
  std::size_t offset = 0;  ///< in MarkedPart::text
  TagRole role = TagRole::kSingle;
  bool needs_text = false;
  std::optional<std::size_t> partner = {};  ///< in MarkedPart::tags
  /// True if the blank that separates the words around the tag comes after the tag.
  bool before_blank = false;
  std::string blank = {};          ///< that blank in the source; empty: none
  std::string blanks_before = {};  ///< further ones, between it and the text or tag next to it
  std::string blanks_after = {};
};

/// A part of a line that is translated by itself.
struct MarkedPart {
  std::string text;
  std::vector<PartTag> tags;
  utf8::Span raw;  ///< the part, with these tags, in MarkedLine::raw
};

/// The stretches of text between separating tags, without the blanks around them. Stretches without
/// letters are left out.
[[nodiscard]] std::vector<utf8::Span> texts_between_separators(const MarkedLine& line);

/// Cuts a line into parts, one for each of `texts`: stretches of its text, in order, not empty and
/// without blanks around them. A tag at the edge of a part belongs to it only if its partner is
/// inside; other tags stay where they are.
[[nodiscard]] std::vector<MarkedPart> cut_parts(const MarkedLine& line,
                                                const std::vector<utf8::Span>& texts);

}  // namespace attend::text
