#pragma once
#include <string>

#include "align/attention_matrix.h"

namespace attend::draw {

/// An <svg> element for a web page with the weights as a grid. Labels are text; cells show their
/// tokens and weight under the pointer. It is smaller than the picture of draw_heatmap() and uses
/// the fonts of the browser. Heads are not drawn. Throws std::logic_error for a matrix without
/// weights.
[[nodiscard]] std::string heatmap_markup(const align::AttentionMatrix& matrix);

}  // namespace attend::draw
