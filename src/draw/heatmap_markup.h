#pragma once
#include <string>

#include "align/attention_matrix.h"

namespace attend::draw {

/// An <svg> element for a web page with the weights as a grid. Labels are text; pointing at a cell
/// shows its tokens and weight. It is smaller than the picture of draw_heatmap() and uses the fonts
/// of the browser. Heads are not drawn. Throws std::logic_error for a matrix without weights.
[[nodiscard]] std::string heatmap_markup(const align::AttentionMatrix& matrix);

}  // namespace attend::draw
