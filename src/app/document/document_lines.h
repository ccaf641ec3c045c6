#pragma once
#include <cstddef>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/document/document_cutter.h"
#include "app/document/markup_cutter.h"
#include "app/lines/input_lines.h"
#include "app/lines/line_source.h"
#include "app/translate/translate_lines.h"
#include "core/file.h"
#include "core/first_few.h"

namespace attend::app {

/// The cutting of lines into texts to translate. At least one of the first two is set.
struct DocumentForm {
  const DocumentCutter* sentences = nullptr;  ///< cuts lines into sentences; null: they stay whole
  std::optional<MarkupChoice> markup = {};    ///< unset: plain text
  /// A list for each line, as parse_constraints() reads it; empty: none. A line with constraints
  /// must be one text.
  std::filesystem::path constraints = {};
};

/// A document on its way through translate_lines(): the source of its sentences, and the sink that
/// writes its lines with the translations. Line ends stay as they are. A line without sentences is
/// one empty text, so that it is written in its turn.
class DocumentLines final : public LineSource, public TranslationSink {
 public:
  DocumentLines(LineReader& input, const DocumentForm& form, OutputFile& output);

  /// The next text, or nothing at the end. Throws as SideLines::next(), and DataError for
  /// constraints of a line of several texts.
  std::optional<InputLine> next() override;
  [[nodiscard]] bool would_block() const override;
  [[nodiscard]] LineMeter::Place place() const override;
  void warn_about_changes() const override;

  void add(const TranslatedLine& sentence) override;
  void flush() override { output_.flush(); }

 private:
  struct Line {
    FittedLine text;
    std::string end;
    std::string constraints = {};
    std::size_t read = 0;  // number of sentences returned by next()
    std::vector<std::string> translations = {};
  };

  [[nodiscard]] bool has_unread() const;
  bool read_line();
  void warn_if_cut(text::CutAt cut_at);
  void note_open_part();

  LineReader& input_;
  DocumentForm form_;
  std::optional<MarkupCutter> markup_;
  SideLines constraints_;
  OutputFile& output_;
  std::deque<Line> lines_;  // not written yet
  int64_t texts_ = 0;       // returned by next()
  FirstFew long_lines_;
  int64_t open_since_ = 0;  // line where an open part of the markup began; 0: none is open
};

}  // namespace attend::app
