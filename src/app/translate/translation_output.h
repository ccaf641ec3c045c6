#pragma once
#include <filesystem>
#include <optional>
#include <string>

#include "align/attention_json.h"
#include "app/attention/heatmap_format.h"
#include "app/translate/translate_lines.h"
#include "app/translate/word_links.h"
#include "core/file.h"
#include "draw/attention_page.h"

namespace attend::app {

/// Output files and formats of a translation.
struct OutputChoices {
  std::filesystem::path text = "-";
  bool moses = false;                  ///< "id ||| text ||| score", a line per hypothesis
  std::filesystem::path attention;     ///< JSONL; empty: none
  std::filesystem::path word_scores;   ///< JSONL; empty: none
  std::optional<double> review_below;  ///< marks lines with a lower confidence in word_scores
  std::filesystem::path alignments;    ///< Pharaoh links, a line per line of text; empty: none
  std::filesystem::path heatmaps;      ///< folder; empty: none
  align::Level level = align::Level::kPiece;  ///< of attention and heatmaps
  HeatmapFormat heatmap_format = draw::PictureFormat::kSvg;
  std::string page_title;  ///< of the HTML page
  std::string separator;   ///< between segments of a source; empty: none
  LinkChoice links = {};

  [[nodiscard]] bool need_attention() const {
    return !attention.empty() || !alignments.empty() || !heatmaps.empty();
  }
};

/// Throws UsageError if two outputs have the same file.
void check(const OutputChoices& choices);

/// The output text for an input line: one line per translation, each with its newline.
[[nodiscard]] std::string translation_text(const TranslatedLine& line, bool moses);

/// Writes translations in all chosen formats. Heatmaps are named after the line's id (from 0), and
/// the rank if there are several hypotheses: 000012.1.svg; the HTML page is index.html.
class TranslationOutput final : public TranslationSink {
 public:
  /// Throws DataError if a file cannot be written.
  explicit TranslationOutput(OutputChoices choices);

  void add(const TranslatedLine& line) override;
  void flush() override;
  /// Moves the files to their final names.
  void commit();

 private:
  void add_word_scores(const TranslatedLine& line, std::size_t rank);
  void add_attention(const TranslatedLine& line, std::size_t rank);
  void draw(const TranslatedLine& line, std::size_t rank, const align::AttentionMatrix& matrix);
  void add_to_page(const TranslatedLine& line, std::size_t rank);

  OutputChoices choices_;
  OutputFile text_;
  std::optional<OutputFile> word_scores_;
  int64_t to_review_ = 0;  // best translations
  std::optional<OutputFile> attention_;
  std::optional<OutputFile> alignments_;
  std::optional<draw::AttentionPage> page_;
};

}  // namespace attend::app
