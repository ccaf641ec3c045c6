#pragma once
#include <cstdint>
#include <vector>

namespace attend::model {

/// Returns true for each layer that takes part. In training a layer is dropped with `probability`
/// (LayerDrop, Fan, Grave & Joulin 2020, arXiv 1909.11556), drawn anew at each call (nn/drawing.h).
/// Otherwise all layers take part.
[[nodiscard]] std::vector<bool> active_layers(int64_t layers, double probability, bool training);

}  // namespace attend::model
