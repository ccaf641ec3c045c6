#pragma once
#include <vector>

#include "align/attention_matrix.h"
#include "draw/canvas.h"

namespace attend::draw {

/// Draws every head as a small picture without labels of tokens, numbered from 1, side by side from
/// the corner of `area` on; further rows follow where the next one would exceed its width (but not
/// less than 400 units). The height of `area` means nothing. `top_weight` has the darkest shade.
/// Requires: all tables of the same size, not empty.
void draw_heads(const std::vector<align::WeightTable>& heads, double top_weight, const Box& area,
                Canvas& canvas);

}  // namespace attend::draw
