#include "tests/text/markup/fake_translation.h"

#include <algorithm>
#include <sstream>

#include "text/characters.h"
#include "text/markup/render.h"

namespace attend::text::markup_test {
namespace {

bool is_of_fake_word(char32_t code) {
  return is_letter(code) || (code >= U'0' && code <= U'9');
}

void add_word(std::string_view word, std::optional<utf8::Span> source, FakeTranslation& result) {
  if (!result.text.empty()) result.text += ' ';
  const std::size_t begin = result.text.size();
  result.text += word;
  result.words.push_back({{begin, result.text.size()}, source});
}

std::string_view part_of(std::string_view text, const utf8::Span& span) {
  return text.substr(span.begin, span.end - span.begin);
}

}  // namespace

std::vector<utf8::Span> fake_words(std::string_view text) {
  std::vector<utf8::Span> words;
  bool continues = false;
  for (std::size_t at = 0; at < text.size();) {
    const auto [code, bytes] = utf8::first_character(text.substr(at));
    const bool of_word = is_of_fake_word(code);
    if (continues && of_word) {
      words.back().end = at + bytes;
    } else if (!is_blank(code)) {
      words.push_back({at, at + bytes});
    }
    continues = of_word;
    at += bytes;
  }
  return words;
}

FakeTranslation same(std::string_view source) {
  FakeTranslation result{.text = std::string(source), .words = {}};
  for (const utf8::Span& word : fake_words(source)) result.words.push_back({word, word});
  return result;
}

FakeTranslation in_order(std::string_view source, const std::string& order) {
  const std::vector<utf8::Span> words = fake_words(source);
  FakeTranslation result;
  std::istringstream stream(order);
  for (std::size_t place = 0; stream >> place;) {
    if (place == 0) {
      add_word("neu", std::nullopt, result);
    } else {
      add_word(part_of(source, words.at(place - 1)), words.at(place - 1), result);
    }
  }
  return result;
}

FakeTranslation hostile(std::string_view source, std::mt19937& random) {
  constexpr std::string_view kOdd[] = {"<",  "&",  "]]>",  "</b>", "<b>",  "&lt;",
                                       "*",  "**", "`",    "](u)", "[a",   "\x01",
                                       "\\", "|",  "北京", "_x_",  "<!--", "!"};
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  const std::vector<utf8::Span> words = fake_words(source);
  FakeTranslation result;
  const std::size_t size = below(words.size() + 3);
  for (std::size_t i = 0; i < size; ++i) {
    const utf8::Span& word = words[below(words.size())];
    const utf8::Span& linked = below(4) == 0 ? words[below(words.size())] : word;
    const bool odd = below(5) == 0;
    add_word(odd ? kOdd[below(std::size(kOdd))] : part_of(source, word),
             below(3) == 0 ? std::nullopt : std::optional(linked), result);
  }
  return result;
}

std::vector<std::string> translate_lines(const std::vector<std::string>& lines, Markup markup,
                                         const FakeTranslator& translator) {
  const auto reader = make_markup_reader(markup);
  std::vector<std::string> results;
  for (const std::string& line : lines) {
    const MarkedLine marked = reader->read(line);
    const std::vector<MarkedPart> parts = cut_parts(marked, texts_between_separators(marked));
    std::vector<std::string> rendered;
    for (const MarkedPart& part : parts) {
      const FakeTranslation translation = translator(part.text);
      rendered.push_back(render_part(part, translation.text, translation.words, markup));
    }
    results.push_back(join_parts(marked.raw, parts, rendered, markup));
  }
  return results;
}

std::string translate_line(const std::string& line, Markup markup,
                           const FakeTranslator& translator) {
  return translate_lines({line}, markup, translator).front();
}

std::string reorder(const std::string& line, Markup markup, const std::string& order) {
  return translate_line(line, markup,
                        [&](std::string_view source) { return in_order(source, order); });
}

}  // namespace attend::text::markup_test
