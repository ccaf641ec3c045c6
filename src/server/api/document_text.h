#pragma once
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/document/document_cutter.h"
#include "app/document/markup_cutter.h"
#include "app/translate/translator.h"

namespace attend::server {

/// A line of a text, cut into the sentences to translate.
struct CutLine {
  app::FittedLine cut;
  std::string end;  ///< "\n" or "\r\n"; "" after the last line
};

/// A text of a request that is translated sentence by sentence.
struct DocumentText {
  std::size_t first = 0;      ///< its first sentence in the texts of the search
  std::size_t sentences = 0;  ///< their number
  std::vector<CutLine> lines = {};

  [[nodiscard]] std::string text() const;
  [[nodiscard]] std::size_t bytes() const;
};

/// How texts are cut into sentences.
struct CutForm {
  const app::DocumentCutter* sentences = nullptr;  ///< null: what is between tags stays whole
  std::optional<text::Markup> markup = {};
};

/// The lines of a text, not cut.
[[nodiscard]] std::vector<CutLine> lines_of(std::string_view text);

/// Adds the sentences of `text` to `sentences`. Throws ApiError for too many lines, and as soon as
/// there are too many sentences: cutting a long text takes seconds, and other clients would wait
/// for this thread.
[[nodiscard]] DocumentText cut_text(std::string_view text, const CutForm& form,
                                    std::vector<std::string>& sentences);

/// The sentences of a request with their translations, at least one for each.
struct TranslatedSentences {
  std::span<const app::SourceLine> lines;
  std::span<const std::vector<app::Translation>> translations;
  const std::optional<app::MarkupChoice>& markup;

  /// Translation `rank` (0: the best) of a sentence, or its last.
  [[nodiscard]] const app::Translation& best(std::size_t sentence, std::size_t rank) const;
};

/// A sentence of a document, with its place in the texts of the search.
struct SentenceOfText {
  const app::FittedLine& line;
  std::size_t part = 0;  ///< in the line
  std::size_t place = 0;
};

/// The sentences of a text, in its order.
[[nodiscard]] std::vector<SentenceOfText> sentences_of(const DocumentText& text);

/// Translation `rank` of a sentence, with its tags.
[[nodiscard]] std::string translation_of(const SentenceOfText& sentence,
                                         const TranslatedSentences& all, std::size_t rank);

/// The text with translation `rank` of each sentence.
[[nodiscard]] std::string translation_of(const DocumentText& text, const TranslatedSentences& all,
                                         std::size_t rank);

/// The largest number of translations of a sentence of the text.
[[nodiscard]] std::size_t count_ranks(const DocumentText& text, const TranslatedSentences& all);

}  // namespace attend::server
