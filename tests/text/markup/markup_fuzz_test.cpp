// Random lines of nested, broken and hostile markup with random translations. ATTEND_FUZZ_LINES
// sets the number of lines of each test; ATTEND_FUZZ_OUTPUT names a file for the XML, to be read by
// another parser.
#include <gmock/gmock.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <random>

#include "tests/text/markup/fake_translation.h"
#include "text/characters.h"
#include "text/markup/marked_part.h"

namespace attend::text::markup_test {
namespace {

int fuzz_lines() {
  const char* given = std::getenv("ATTEND_FUZZ_LINES");
  return given != nullptr ? std::atoi(given) : 2000;
}

template <std::size_t N>
std::string any_of(const std::string_view (&choices)[N], std::mt19937& random) {
  return std::string(choices[random() % N]);
}

constexpr std::string_view kTexts[] = {
    "a",     "dog",   " ",    "  ",      " the ", "cat ", ", ",     "Ärger", "12", "&lt;",
    "&amp;", "&#65;", "北京", " x y z ", "\t",    "&#9;", "&quot;", ".",     "! ", "'"};

/// Well-formed content: every element is closed, and attributes are unique per line.
std::string well_formed(std::mt19937& random, int depth, int& count) {
  std::string content;
  for (auto i = random() % 5; i > 0; --i) {
    const auto kind = random() % 8;
    if (kind < 4) {
      content += any_of(kTexts, random);
    } else if (kind == 4) {
      content += "<x n='" + std::to_string(count++) + "'/>";
    } else if (kind == 5) {
      constexpr std::string_view kSpecial[] = {"<!-- <b> & -->", "<![CDATA[</a> &x; ]]>",
                                               "<?p <q>?>", "<code>c <code/> d</code>",
                                               "<i translate='no'>no</i>"};
      content += any_of(kSpecial, random);
    } else if (depth > 0) {
      constexpr std::string_view kNames[] = {"a", "b", "i", "ü", "n:p"};
      const std::string name = any_of(kNames, random);
      const std::string id = std::to_string(count++);
      content += "<" + name + " n=\"" + id + "\" t = '>\"'>" +
                 well_formed(random, depth - 1, count) + "</" + name + " >";
    }
  }
  return content;
}

std::string broken(std::mt19937& random) {
  constexpr std::string_view kParts[] = {
      "<",    ">",       "</",        "<b>",  "</b>",      "<i x='1'>", "</i>", "<br/>",
      "&",    "&amp;",   "&amp",      "&x;",  "<b",        "=",         "\"",   "'",
      "<!--", "-->",     "<![CDATA[", "]]>",  "<?",        "?>",        "<!D",  "<code>",
      "/",    "</code>", "<script>",  "<p>",  "</script>", "</p>",      "<td>", "<a x=\"",
      "*",    "**",      "_",         "`",    "``",        "[",         "](u)", "](",
      "![",   "\\",      "~~",        "# ",   "- ",        "|",         "> ",   "1. ",
      "```",  "[^1]",    "]",         "!",    "https://x", "<a@b.c>",   "\x01", "\u200B",
      "</I>", "<B>",     "<é>",       "<_:>", "<b/>",      "<b c>",     "&#0;", "&#x1F600;"};
  std::string line;
  for (auto i = random() % 14; i > 0; --i)
    line += random() % 5 < 2 ? any_of(kTexts, random) : any_of(kParts, random);
  return line;
}

FakeTranslator hostile_translator(std::mt19937& random) {
  return [&random](std::string_view source) {
    switch (random() % 4) {
      case 0:
        return same(source);
      default:
        return hostile(source, random);
    }
  };
}

/// A strict reader of XML content. Returns what is wrong with it; empty: nothing.
std::string xml_problem(std::string_view text) {
  std::vector<std::string> open;
  while (!text.empty()) {
    std::size_t size = 1;
    if (text[0] == '&') {
      size = text.find(';') + 1;
      const std::string_view name = text.substr(0, size);
      constexpr std::string_view kKnown[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&#65;", "&#9;"};
      if (std::ranges::find(kKnown, name) == std::end(kKnown)) return "reference";
    } else if (text.starts_with("<!--")) {
      size = text.find("-->") + 3;
    } else if (text.starts_with("<![CDATA[")) {
      size = text.find("]]>") + 3;
    } else if (text.starts_with("<?")) {
      size = text.find("?>") + 2;
    } else if (text[0] == '<') {
      const bool closes = text.starts_with("</");
      const std::size_t begin = closes ? 2 : 1;
      const std::string name(text.substr(begin, text.find_first_of(" />", begin) - begin));
      if (name.empty()) return "name";
      // All values are in quotes; single quotes hold the double ones.
      size = begin;
      for (char quote = 0; size < text.size() && (quote != 0 || text[size] != '>'); ++size) {
        if (quote == 0 && text[size] == '<') return "tag";
        if (text[size] != '"' && text[size] != '\'') continue;
        if (quote == 0) {
          quote = text[size];
        } else if (quote == text[size]) {
          quote = 0;
        }
      }
      if (size == text.size()) return "end";
      const bool empty = text[size - 1] == '/';
      ++size;
      if (closes && (open.empty() || open.back() != name)) return "nesting of " + name;
      if (closes) open.pop_back();
      if (!closes && !empty) open.push_back(name);
    } else if (text[0] == '>' || static_cast<unsigned char>(text[0]) < 9) {
      return "character";
    }
    if (size == 0) return "special";
    text.remove_prefix(size);
  }
  return open.empty() ? "" : "open " + open.back();
}

/// How often each tag occurs in the line.
std::map<std::string, int> tags_of(const MarkedLine& line) {
  std::map<std::string, int> tags;
  for (const Tag& tag : line.tags)
    ++tags[line.raw.substr(tag.raw.begin, tag.raw.end - tag.raw.begin)];
  return tags;
}

/// True if a quote stays open in a tag. The reader guesses where such a tag ends, and any later
/// quote changes the guess.
bool has_open_quote(const MarkedLine& line) {
  return std::ranges::any_of(tags_of(line), [](const auto& tag) {
    return tag.first[0] == '<' && (std::ranges::count(tag.first, '"') % 2 != 0 ||
                                   std::ranges::count(tag.first, '\'') % 2 != 0);
  });
}

std::string without_blanks(std::string_view text) {
  std::string result;
  for (; !text.empty(); text.remove_prefix(utf8::first_character(text).bytes)) {
    const auto [code, bytes] = utf8::first_character(text);
    if (code == 1) result += "\uFFFD";
    if (code != 1 && !is_blank(code)) result += text.substr(0, bytes);
  }
  return result;
}

/// The text of the line with the translations of its parts, without blanks.
std::string expected_text(const MarkedLine& line,
                          const std::vector<FakeTranslation>& translations) {
  std::string text;
  std::size_t end = 0;
  const auto parts = texts_between_separators(line);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    text += line.text.substr(end, parts[i].begin - end) + translations.at(i).text;
    end = parts[i].end;
  }
  return without_blanks(text + line.text.substr(end));
}

TEST(MarkupFuzz, WellFormedXmlStaysWellFormed) {
  std::mt19937 random(57);
  std::ofstream output;
  if (const char* file = std::getenv("ATTEND_FUZZ_OUTPUT")) output.open(file);
  for (int i = 0; i < fuzz_lines(); ++i) {
    int count = 0;
    const std::string line = well_formed(random, 6, count);
    ASSERT_EQ(xml_problem(line), "") << line;
    const std::string result = translate_line(line, Markup::xml, hostile_translator(random));
    ASSERT_EQ(xml_problem(result), "") << line << "\n" << result;
    output << line << "\n" << result << "\n";
  }
}

TEST(MarkupFuzz, NoTagAndNoCharacterIsLost) {
  std::mt19937 random(58);
  for (int i = 0; i < fuzz_lines(); ++i) {
    int count = 0;
    const std::string line = i % 4 == 0 ? well_formed(random, 6, count) : broken(random);
    const Markup markup = i % 2 == 0 ? Markup::xml : Markup::html;
    std::vector<FakeTranslation> translations;
    const FakeTranslator translator = hostile_translator(random);
    const std::string result = translate_line(line, markup, [&](std::string_view source) {
      translations.push_back(translator(source));
      return translations.back();
    });
    const MarkedLine before = make_markup_reader(markup)->read(line);
    if (has_open_quote(before)) continue;
    const MarkedLine after = make_markup_reader(markup)->read(result);
    ASSERT_EQ(tags_of(after), tags_of(before)) << line << "\n" << result;
    ASSERT_EQ(without_blanks(after.text), expected_text(before, translations)) << line << "\n"
                                                                               << result;
    const auto pairs = [](const MarkedLine& marked) {
      return std::ranges::count_if(marked.tags,
                                   [](const Tag& tag) { return tag.partner.has_value(); });
    };
    ASSERT_GE(pairs(after), pairs(before)) << line << "\n" << result;
  }
}

TEST(MarkupFuzz, ElementsOverSeveralLinesStayWellFormed) {
  std::mt19937 random(59);
  for (int i = 0; i < fuzz_lines() / 4; ++i) {
    int count = 0;
    std::string text = well_formed(random, 6, count) + well_formed(random, 6, count);
    // Only blanks between elements and words become line ends.
    std::vector<std::string> lines(1);
    const MarkedLine marked = make_markup_reader(Markup::xml)->read(text);
    std::size_t begin = 0;
    for (std::size_t at = 0; at < marked.text.size(); ++at) {
      if (marked.text[at] != ' ' || random() % 2 == 0) continue;
      lines.back() = text.substr(begin, marked.origin[at] - begin);
      begin = marked.origin[at] + 1;
      lines.emplace_back();
    }
    lines.back() = text.substr(begin);
    std::string result;
    for (const std::string& line : translate_lines(lines, Markup::xml, hostile_translator(random)))
      result += line + " ";
    ASSERT_EQ(xml_problem(result), "") << text << "\n" << result;
  }
}

TEST(MarkupFuzz, TheSameTextGivesTheSameLine) {
  std::mt19937 random(60);
  for (int i = 0; i < fuzz_lines(); ++i) {
    const std::string line = broken(random);
    // Quotes: see has_open_quote(). Markdown reads "*" differently next to "&amp;" and next to "x".
    if (line.find_first_of("\"'&") != std::string::npos) continue;
    for (const Markup markup : enum_values<Markup>()) {
      // The first pass escapes the text, as in translations. The second pass must change nothing.
      const std::string once = translate_line(line, markup, same);
      ASSERT_EQ(translate_line(once, markup, same), once) << line;
    }
  }
}

TEST(MarkupFuzz, MarkdownKeepsItsTags) {
  std::mt19937 random(61);
  for (int i = 0; i < fuzz_lines(); ++i) {
    const std::string line = broken(random);
    const MarkedLine before = make_markup_reader(Markup::markdown)->read(line);
    const std::string result = translate_line(line, Markup::markdown, hostile_translator(random));
    for (const Tag& tag : before.tags) {
      const std::string raw = line.substr(tag.raw.begin, tag.raw.end - tag.raw.begin);
      ASSERT_TRUE(tag.needs_text || result.find(raw) != std::string::npos) << line << "\n"
                                                                           << result;
    }
  }
}

}  // namespace
}  // namespace attend::text::markup_test
