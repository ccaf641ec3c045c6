#include "app/document/markup_cutter.h"

#include <algorithm>
#include <utility>

#include "text/markup/render.h"

namespace attend::app {

MarkupCutter::MarkupCutter(text::Markup markup, const DocumentCutter* sentences)
    : reader_(text::make_markup_reader(markup)), sentences_(sentences) {}

FittedLine MarkupCutter::cut(std::string line, std::size_t most) {
  const text::MarkedLine marked = reader_->read(std::move(line));
  std::vector<utf8::Span> texts = text::texts_between_separators(marked);
  FittedLine fitted;
  if (sentences_ != nullptr) {
    for (const utf8::Span& text : std::exchange(texts, {})) {
      if (texts.size() >= most) break;
      const FittedLine cut = sentences_->cut(marked.text.substr(text.begin, text.end - text.begin),
                                             most - texts.size());
      for (const utf8::Span& sentence : cut.line.sentences)
        texts.push_back({text.begin + sentence.begin, text.begin + sentence.end});
      fitted.cut_at = std::max(fitted.cut_at, cut.cut_at);
    }
  }
  fitted.line.text = marked.raw;
  fitted.parts = text::cut_parts(marked, texts);
  for (const text::MarkedPart& part : fitted.parts) fitted.line.sentences.push_back(part.raw);
  return fitted;
}

std::string part_translation(const FittedLine& line, std::size_t part, const TokenizedLine& source,
                             const Translation& translation,
                             const std::optional<MarkupChoice>& markup) {
  if (!markup) return translation.line.text;
  return text::render_part(line.parts[part], translation.line.text,
                           linked_words(source, translation, markup->links), markup->markup);
}

std::string join_parts(const FittedLine& line, const std::vector<std::string>& translations,
                       const std::optional<MarkupChoice>& markup) {
  if (!markup) return text::join_line(line.line, translations);
  return text::join_parts(line.line.text, line.parts, translations, markup->markup);
}

}  // namespace attend::app
