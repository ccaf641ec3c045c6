#pragma once
#include <functional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "text/markup/markup_reader.h"
#include "text/markup/tag_placement.h"

namespace attend::text::markup_test {

/// A translation with its links.
struct FakeTranslation {
  std::string text;
  std::vector<LinkedWord> words;
};

using FakeTranslator = std::function<FakeTranslation(std::string_view)>;

/// The words of a text: runs of letters and digits, and other characters one by one.
[[nodiscard]] std::vector<utf8::Span> fake_words(std::string_view text);

/// The unchanged text, with each word linked to itself.
[[nodiscard]] FakeTranslation same(std::string_view source);
/// The words of the source in `order`, separated by blanks, each linked to its source word. `order`
/// lists word numbers from 1, such as "2 1 3"; 0 stands for a new word without a link.
[[nodiscard]] FakeTranslation in_order(std::string_view source, const std::string& order);
/// Words in any order, some left out, some doubled, some of characters that are markup; linked to
/// any word or none.
[[nodiscard]] FakeTranslation hostile(std::string_view source, std::mt19937& random);

/// The lines with translated parts.
[[nodiscard]] std::vector<std::string> translate_lines(const std::vector<std::string>& lines,
                                                       Markup markup,
                                                       const FakeTranslator& translator);
[[nodiscard]] std::string translate_line(const std::string& line, Markup markup,
                                         const FakeTranslator& translator);
/// Translates as in_order().
[[nodiscard]] std::string reorder(const std::string& line, Markup markup, const std::string& order);

}  // namespace attend::text::markup_test
