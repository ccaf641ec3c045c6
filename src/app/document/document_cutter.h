#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "app/translate/translator.h"
#include "text/clauses.h"
#include "text/document_line.h"
#include "text/markup/marked_part.h"
#include "text/sentences.h"

namespace attend::app {

/// A line cut into the texts to translate.
struct FittedLine {
  text::DocumentLine line;                     ///< as it was read
  std::vector<text::MarkedPart> parts = {};    ///< the sentences of a line with markup
  text::CutAt cut_at = text::CutAt::kNowhere;  ///< where sentences that are too long were cut

  /// The text of a sentence, without markup.
  [[nodiscard]] std::string_view text(std::size_t index) const {
    return parts.empty() ? line.sentence(index) : std::string_view(parts[index].text);
  }
};

/// Throws UsageError, naming `option`, for models of several sources.
void require_one_source(const LoadedModel& model, const std::string& option);

/// Cuts lines of documents into sentences, and sentences that are too long into parts, so that no
/// model drops a part of a sentence.
class DocumentCutter {
 public:
  /// Keeps a reference to the translator. `language`: as text::SentenceWords. Throws UsageError for
  /// models of several sources.
  DocumentCutter(const Translator& translator, std::string_view language);

  /// Stops after `most` parts of sentences, for callers that refuse more.
  [[nodiscard]] FittedLine cut(std::string line, std::size_t most = std::string::npos) const;

 private:
  const Translator& translator_;
  text::SentenceSplitter splitter_;
};

}  // namespace attend::app
