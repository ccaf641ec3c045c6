#pragma once
#include <cstdint>
#include <vector>

namespace attend::model {

/// Which of `layers` layers take part: in training each is left out with `probability` (LayerDrop,
/// Fan, Grave & Joulin 2020, arXiv 1909.11556), drawn anew at each call (nn/drawing.h);
/// otherwise all do.
[[nodiscard]] std::vector<bool> drawn_layers(int64_t layers, double probability, bool training);

}  // namespace attend::model
