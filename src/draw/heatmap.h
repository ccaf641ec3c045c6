#pragma once
#include <filesystem>
#include <optional>
#include <string>

#include "align/attention_matrix.h"
#include "align/links.h"
#include "draw/picture.h"

namespace attend::draw {

struct HeatmapOptions {
  PictureFormat format = PictureFormat::kSvg;
  std::string title = {};          ///< above the picture; may be empty
  std::string columns = "source";  ///< what stands above, for the caption
  std::string rows = "target";     ///< what stands at the left
  /// Links between tokens of the matrix (words): sure ones get a solid outline, others a dashed
  /// one.
  std::optional<align::GoldLinks> gold = {};
};

/// Draws the weights as a grid, source tokens above (slanted, or upright where the cells are
/// small), target tokens at the left, darker for more weight, with a colour bar. Cells shrink with
/// the sentence; large ones show their weight. Heads follow below as small pictures. The darkest
/// shade stands for the least of 0.1, 0.2, 0.5 and 1 that no weight exceeds, or for the largest
/// weight where that is above 1. Labels of every script for which a font is installed are readable.
/// Writes `path` atomically; its name is not changed. Throws DataError if it cannot be written,
/// std::logic_error for a matrix without weights or gold links outside it.
void draw_heatmap(const align::AttentionMatrix& matrix, const HeatmapOptions& options,
                  const std::filesystem::path& path);

}  // namespace attend::draw
