#include "text/markup/angle_mark.h"

#include <algorithm>
#include <cctype>

namespace attend::text {
namespace {

using Kind = AngleMark::Kind;

constexpr std::string_view kAsciiBlanks = " \t\r\f\v";

bool begins_name(char c, Markup markup) {
  const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  if (markup == Markup::html) return letter;
  return letter || c == '_' || c == ':' || static_cast<unsigned char>(c) >= 0x80;
}

std::string name_at(std::string_view text, Markup markup) {
  if (text.empty() || !begins_name(text.front(), markup)) return "";
  std::string name(text.substr(0, text.find_first_of(" \t\r\f\v/><\"'=&")));
  if (markup == Markup::html)
    std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
  return name;
}

struct Special {
  std::string_view begin;
  std::string_view end;
};

AngleMark read_special(std::string_view text, const Special& special, std::size_t least) {
  const std::size_t end = text.find(special.end, least);
  if (end == std::string_view::npos)
    return {.kind = Kind::kSpecial, .bytes = text.size(), .end = std::string(special.end)};
  return {.kind = Kind::kSpecial, .bytes = end + special.end.size()};
}

/// "<!DOCTYPE ...>"; a part in brackets may contain ">".
AngleMark read_declaration(std::string_view text) {
  const std::size_t bracket = text.substr(0, text.find('>')).find('[');
  return read_special(text, {"<!", bracket == std::string_view::npos ? ">" : "]>"}, 2);
}

AngleMark read_end_tag(std::string_view text, Markup markup) {
  std::string name = name_at(text.substr(2), markup);
  const std::size_t end = text.find_first_of("<>", 2);
  if (name.empty() || end == std::string_view::npos || text[end] == '<') return {};
  return {.kind = Kind::kClose, .bytes = end + 1, .name = std::move(name)};
}

bool is_blank_text(std::string_view text) {
  return text.find_first_not_of(kAsciiBlanks) == std::string_view::npos;
}

bool has_attributes(std::string_view text) {
  return text.find('=') != std::string_view::npos;
}

/// Reads an unfinished tag. Returns kText if it is not likely to be a tag.
AngleMark unfinished_tag(std::string_view text, std::string name, bool begins_line, char quote) {
  const bool only_name = begins_line && is_blank_text(text.substr(1 + name.size()));
  if (!only_name && !has_attributes(text)) return {};
  return {.kind = Kind::kOpen,
          .bytes = text.size(),
          .name = std::move(name),
          .end = ">",
          .quote = quote};
}

AngleMark read_start_tag(std::string_view text, Markup markup, bool begins_line) {
  std::string name = name_at(text.substr(1), markup);
  if (name.empty()) return {};
  const std::size_t after = 1 + name.size();
  char quote = '\0';
  std::size_t end = end_of_tag(text.substr(after), quote);
  if (end == std::string_view::npos) {
    // A quote that stays open is a mistake if the tag could end without it.
    const std::size_t close = quote != '\0' ? text.find('>') : std::string_view::npos;
    if (close == std::string_view::npos)
      return unfinished_tag(text, std::move(name), begins_line, quote);
    end = close + 1 - after;
  }
  const std::string_view tag = text.substr(0, after + end);
  if (!tag.ends_with('>')) return {};
  const bool empty = tag.ends_with("/>");
  const std::string_view attributes = tag.substr(after, tag.size() - after - (empty ? 2 : 1));
  if (markup == Markup::xml && !is_blank_text(attributes) && !has_attributes(attributes)) return {};
  return {.kind = empty ? Kind::kEmpty : Kind::kOpen, .bytes = tag.size(), .name = std::move(name)};
}

}  // namespace

std::size_t end_of_tag(std::string_view text, char& quote) {
  char before = '=';
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote != '\0') {
      if (c == quote) quote = '\0';
      continue;
    }
    if (c == '>') return i + 1;
    if (c == '<') return i;
    if ((c == '"' || c == '\'') && before == '=') quote = c;
    if (kAsciiBlanks.find(c) == std::string_view::npos) before = c;
  }
  return std::string_view::npos;
}

AngleMark read_angle_mark(std::string_view text, Markup markup, bool begins_line) {
  // In HTML, "<!-->" is a whole comment.
  const std::size_t comment = markup == Markup::html ? 2 : 4;
  if (text.starts_with("<!--")) return read_special(text, {"<!--", "-->"}, comment);
  if (text.starts_with("<![CDATA[")) return read_special(text, {"<![CDATA[", "]]>"}, 9);
  if (text.starts_with("<?")) return read_special(text, {"<?", "?>"}, 2);
  if (text.starts_with("</")) return read_end_tag(text, markup);
  const bool declares = text.starts_with("<!") && text.size() > 2 &&
                        (text[2] == '[' || begins_name(text[2], Markup::html));
  if (declares) return read_declaration(text);
  return read_start_tag(text, markup, begins_line);
}

}  // namespace attend::text
