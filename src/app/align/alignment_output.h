#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "align/attention_json.h"
#include "align/links.h"
#include "app/align/alignment_model.h"
#include "app/attention/heatmap_format.h"
#include "core/file.h"
#include "draw/attention_page.h"

namespace attend::app {

/// Output files and formats of `attend align`.
struct AlignmentChoices {
  std::filesystem::path output = "-";
  bool jsonl = false;  ///< write attention records instead of Pharaoh links
  align::Level level = align::Level::kWord;
  std::filesystem::path heatmaps;  ///< folder; empty: none
  HeatmapFormat heatmap_format = draw::PictureFormat::kSvg;
  std::string page_title;  ///< of the HTML page

  [[nodiscard]] bool page() const { return !heatmaps.empty() && !heatmap_format; }
};

/// A pair decoded by a model.
struct PairView {
  const AlignmentModel& model;
  const ForcedPair& pair;
};

/// A pair to write.
struct AlignedPair {
  PairView view;
  std::optional<PairView> compared;      ///< the pair decoded by the page's second model
  align::Links links;                    ///< at AlignmentChoices::level
  std::optional<align::GoldLinks> gold;  ///< to draw
};

/// Writes pairs in the chosen formats. Pictures are named after the pair's id: 000012.svg; the HTML
/// page is index.html.
class AlignmentOutput {
 public:
  /// `models`: names of the models on the page, if there are several. Throws DataError if a file
  /// cannot be written.
  AlignmentOutput(AlignmentChoices choices, const std::vector<std::string>& models);

  void add(const AlignedPair& pair);
  /// Moves the files to their final names.
  void commit();

 private:
  void draw(const AlignedPair& pair, const align::AttentionMatrix& matrix) const;
  void add_to_page(const AlignedPair& pair);

  AlignmentChoices choices_;
  OutputFile file_;
  std::optional<draw::AttentionPage> page_;
};

}  // namespace attend::app
