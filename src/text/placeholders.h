#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/utf8.h"
#include "text/tokenizer.h"

namespace attend::text {

/// The number of placeholders that a line can have. Further texts stay as they are.
inline constexpr std::size_t kPlaceholders = 16;

/// The symbol of placeholder `number`, from 0: "⟦1⟧", "⟦2⟧", ...
[[nodiscard]] std::string placeholder(std::size_t number);
/// The symbols of all placeholders.
[[nodiscard]] std::vector<std::string> placeholder_symbols();

/// The id of each placeholder; empty unless the tokenizer has pieces for all.
[[nodiscard]] std::vector<TokenId> placeholder_ids(const Tokenizer& tokenizer);

/// Part of a line that is replaced by a placeholder, or stays in its place.
struct ProtectedPart {
  utf8::Span original;  ///< in the line
  utf8::Span replaced;  ///< in the line with placeholders
};

/// A line whose protected parts are replaced by placeholders.
struct ProtectedLine {
  std::string text;
  std::vector<ProtectedPart> parts;  ///< those that are replaced, from left to right

  /// The part of the original line that became `span` of the text. A placeholder is not divided.
  [[nodiscard]] utf8::Span original(utf8::Span span) const;
};

/// A part of a line, and what replaces it.
struct Replacement {
  utf8::Span part;
  std::string text;
};

/// `line` with each part replaced. Requires: the parts do not overlap, from left to right.
[[nodiscard]] ProtectedLine with_replacements(std::string_view line,
                                              std::span<const Replacement> replacements);

/// The distinct texts of `parts` of a line, in the order of their first occurrence: text i becomes
/// placeholder i, wherever it occurs. Equal texts have one placeholder, because any of them can
/// stand in the place of the other. If there are more than kPlaceholders texts, the last ones are
/// left out, but none that is a placeholder symbol itself.
[[nodiscard]] std::vector<std::string> placeholder_texts(std::string_view line,
                                                         std::span<const utf8::Span> parts);

/// The placeholder of each of `parts` whose text is among `texts`.
[[nodiscard]] std::vector<Replacement> placeholders_for(std::string_view line,
                                                        std::span<const utf8::Span> parts,
                                                        std::span<const std::string> texts);

/// `line` with these parts replaced by their placeholders.
[[nodiscard]] ProtectedLine with_placeholders(std::string_view line,
                                              std::span<const utf8::Span> parts,
                                              std::span<const std::string> texts);

/// `text` with each placeholder of `texts` replaced by its text.
[[nodiscard]] std::string without_placeholders(std::string_view text,
                                               std::span<const std::string> texts);

}  // namespace attend::text
