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
  std::string columns = "source";  ///< caption for the column labels
  std::string rows = "target";     ///< caption for the row labels
  /// Links between tokens of the matrix. Sure links get a solid outline, others a dashed one.
  std::optional<align::GoldLinks> gold = {};
};

/// Draws the weights as a grid with a colour bar: source tokens above (slanted, or upright if the
/// cells are small), target tokens at the left, darker cells for larger weights. Longer sentences
/// have smaller cells; large cells show their weight as a number. Heads follow below as small
/// pictures. The darkest shade stands for the least of 0.1, 0.2, 0.5 and 1 that no weight exceeds,
/// or for the largest weight if it is above 1. Labels are readable in every script that has an
/// installed font. Writes `path` atomically and adds no extension. Throws DataError if it cannot be
/// written, std::logic_error for a matrix without weights or for gold links outside the matrix.
void draw_heatmap(const align::AttentionMatrix& matrix, const HeatmapOptions& options,
                  const std::filesystem::path& path);

}  // namespace attend::draw
