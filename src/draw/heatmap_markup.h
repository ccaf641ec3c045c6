#pragma once
#include <string>

#include "align/attention_matrix.h"

namespace attend::draw {

/// The weights as a grid for a web page: an <svg> element whose cells tell their tokens and weight
/// under the pointer, and whose labels are text. Short and without fonts, where draw_heatmap()
/// makes a picture that looks the same everywhere. Heads are not drawn. Throws std::logic_error for
/// a matrix without weights.
[[nodiscard]] std::string heatmap_markup(const align::AttentionMatrix& matrix);

}  // namespace attend::draw
