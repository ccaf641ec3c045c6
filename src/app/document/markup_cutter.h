#pragma once
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/document/document_cutter.h"
#include "app/translate/word_links.h"
#include "text/markup/marked_part.h"
#include "text/markup/markup_reader.h"

namespace attend::app {

/// Cuts the lines of a text with markup into the parts to translate.
class MarkupCutter {
 public:
  /// Borrows `sentences`, which cuts text between tags further; null: it stays whole.
  MarkupCutter(text::Markup markup, const DocumentCutter* sentences);

  /// Cuts the next line of the text. Stops cutting sentences after `most` parts, for callers that
  /// refuse more.
  [[nodiscard]] FittedLine cut(std::string line, std::size_t most = std::string::npos);
  /// As text::MarkupReader::open_part().
  [[nodiscard]] std::string open_part() const { return reader_->open_part(); }

 private:
  std::unique_ptr<text::MarkupReader> reader_;
  const DocumentCutter* sentences_;
};

/// How tags get into translations.
struct MarkupChoice {
  text::Markup markup = text::Markup::xml;
  LinkChoice links = {};
};

/// The translation of part `part` of a line, with its tags if the line has markup; word links give
/// their places. `source`: the part as the model read it.
[[nodiscard]] std::string part_translation(const FittedLine& line, std::size_t part,
                                           const TokenizedLine& source,
                                           const Translation& translation,
                                           const std::optional<MarkupChoice>& markup);

/// The line with a part_translation() for each of its parts.
[[nodiscard]] std::string join_parts(const FittedLine& line,
                                     const std::vector<std::string>& translations,
                                     const std::optional<MarkupChoice>& markup);

}  // namespace attend::app
