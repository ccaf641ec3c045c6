#include "model/transformer/layer_drop.h"

#include "core/random.h"
#include "nn/drawing.h"

namespace attend::model {

std::vector<bool> active_layers(int64_t layers, double probability, bool training) {
  std::vector<bool> drawn(static_cast<std::size_t>(layers), true);
  if (!training || probability <= 0.0) return drawn;
  Random random(nn::next_seed());
  for (auto&& layer : drawn) layer = random.uniform() >= probability;
  return drawn;
}

}  // namespace attend::model
