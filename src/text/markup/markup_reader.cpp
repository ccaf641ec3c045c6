#include "text/markup/markup_reader.h"

#include "text/characters.h"
#include "text/markup/angle_reader.h"
#include "text/markup/entities.h"
#include "text/markup/markdown_reader.h"

namespace attend::text {
namespace {

bool is_word_character(std::string_view character) {
  const auto first = character.empty() ? ' ' : character.front();
  return (first >= '0' && first <= '9') ||
         (!character.empty() && is_letter(utf8::first_character(character).code));
}

/// True if the character at `at` could be a mark of Markdown.
bool needs_backslash(std::string_view text, std::size_t at) {
  const char c = text[at];
  if (c == '~') return text.substr(at + 1).starts_with('~') || (at > 0 && text[at - 1] == '~');
  if (c != '_') return std::string_view("\\*[]<|").find(c) != std::string_view::npos;
  if (at == 0) return true;
  const std::size_t before = last_character(text.substr(0, at)).bytes;
  return !is_word_character(text.substr(at - before)) || !is_word_character(text.substr(at + 1));
}

std::string escape_markdown(std::string_view text) {
  std::string escaped;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '`') {
      escaped += "&#96;";  // a backslash would not keep it from ending code
      continue;
    }
    if (needs_backslash(text, i)) escaped += '\\';
    escaped += text[i];
    if (entity_size(text.substr(i)) > 0) escaped += "amp;";
  }
  return escaped;
}

}  // namespace

std::unique_ptr<MarkupReader> make_markup_reader(Markup markup) {
  if (markup == Markup::markdown) return std::make_unique<MarkdownReader>();
  return std::make_unique<AngleReader>(markup);
}

std::string escape_markup(std::string_view text, Markup markup) {
  return markup == Markup::markdown ? escape_markdown(text) : escape_entities(text);
}

}  // namespace attend::text
