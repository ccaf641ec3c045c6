#pragma once
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/translate/line_source.h"
#include "app/translate/translate_lines.h"
#include "app/translate/translator.h"
#include "core/file.h"
#include "core/first_few.h"
#include "text/clauses.h"
#include "text/document_line.h"
#include "text/sentences.h"

namespace attend::app {

/// A line of a document, cut so that no model drops a part of a sentence.
struct FittedLine {
  text::DocumentLine line;
  text::CutAt cut_at = text::CutAt::kNowhere;  ///< where sentences that are too long were cut
};

/// Cuts lines of documents into sentences, and sentences that are too long into parts.
class DocumentCutter {
 public:
  /// `language`: as text::SentenceWords. Throws UsageError for models of several sources.
  DocumentCutter(const Translator& translator, std::string_view language);

  /// Stops after `most` parts of sentences, for callers that refuse more.
  [[nodiscard]] FittedLine cut(std::string line, std::size_t most = std::string::npos) const;

 private:
  const Translator& translator_;
  text::SentenceSplitter splitter_;
};

/// A document on its way through translate_lines(): the source of its sentences, and the sink that
/// writes its lines with the translations. Line ends stay as they are. A line without sentences is
/// one empty text, so that it is written in its turn.
class DocumentLines final : public LineSource, public TranslationSink {
 public:
  DocumentLines(LineReader& input, const DocumentCutter& cutter, OutputFile& output)
      : input_(input), cutter_(cutter), output_(output) {}

  std::optional<InputLine> next() override;
  [[nodiscard]] bool would_block() const override;
  [[nodiscard]] LineMeter::Place place() const override;
  void warn_about_changes() const override;

  void add(const TranslatedLine& sentence) override;
  void flush() override { output_.flush(); }

 private:
  struct Line {
    text::DocumentLine text;
    std::string end;
    std::size_t read = 0;  // number of sentences returned by next()
    std::vector<std::string> translations = {};
  };

  [[nodiscard]] bool has_unread() const;
  bool read_line();
  void warn_if_cut(text::CutAt cut_at);

  LineReader& input_;
  const DocumentCutter& cutter_;
  OutputFile& output_;
  std::deque<Line> lines_;  // not written yet
  int64_t texts_ = 0;       // returned by next()
  FirstFew long_lines_;
};

}  // namespace attend::app
