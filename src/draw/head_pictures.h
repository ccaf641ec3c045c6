#pragma once
#include <vector>

#include "align/attention_matrix.h"
#include "draw/canvas.h"

namespace attend::draw {

/// Draws every head as a small picture without token labels, numbered from 1, side by side from the
/// corner of `area`. A row of pictures is at most as wide as `area`, or 400 units if that is wider;
/// the height of `area` is ignored. The weight `top_weight` gets the darkest shade. Requires: all
/// tables have the same size and are not empty.
void draw_heads(const std::vector<align::WeightTable>& heads, double top_weight, const Box& area,
                Canvas& canvas);

}  // namespace attend::draw
