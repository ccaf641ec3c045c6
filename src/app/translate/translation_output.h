#pragma once
#include <filesystem>
#include <optional>
#include <string>

#include "align/attention_json.h"
#include "app/attention/heatmap_format.h"
#include "app/translate/translate_lines.h"
#include "core/file.h"
#include "draw/attention_page.h"

namespace attend::app {

/// Where the results of a translation go, and in which form.
struct OutputChoices {
  std::filesystem::path text = "-";
  bool moses = false;                ///< "id ||| text ||| score", a line per hypothesis
  std::filesystem::path attention;   ///< JSONL; empty: none
  std::filesystem::path alignments;  ///< Pharaoh links, a line per line of text; empty: none
  std::filesystem::path heatmaps;    ///< folder; empty: none
  align::Level level = align::Level::kPiece;  ///< of attention and heatmaps
  HeatmapFormat heatmap_format = draw::PictureFormat::kSvg;
  std::string page_title;  ///< of the HTML page
  std::string separator;   ///< of segments that sources have; empty: none
  std::size_t shift = 0;   ///< steps after a token's own whose attention gives its links
  std::size_t head = 0;    ///< from 1: the head that gives them; 0: the mean

  [[nodiscard]] bool need_attention() const {
    return !attention.empty() || !alignments.empty() || !heatmaps.empty();
  }
};

/// Throws UsageError if two outputs would go to the same place.
void check(const OutputChoices& choices);

/// The lines of text for a line of the input, each with its end.
[[nodiscard]] std::string translation_text(const TranslatedLine& line, bool moses);

/// Writes translations in all the forms asked for. Heatmaps are named after the line's id (from 0)
/// and, after a point, the rank where there are several hypotheses: 000012.1.svg; the HTML page is
/// index.html.
class TranslationOutput final : public TranslationSink {
 public:
  /// Throws DataError if something cannot be written.
  explicit TranslationOutput(OutputChoices choices);

  void add(const TranslatedLine& line) override;
  void flush() override;
  /// Puts the files in place.
  void commit();

 private:
  void add_attention(const TranslatedLine& line, std::size_t rank);
  void draw(const TranslatedLine& line, std::size_t rank, const align::AttentionMatrix& matrix);
  void add_to_page(const TranslatedLine& line, std::size_t rank);

  OutputChoices choices_;
  OutputFile text_;
  std::optional<OutputFile> attention_;
  std::optional<OutputFile> alignments_;
  std::optional<draw::AttentionPage> page_;
};

}  // namespace attend::app
