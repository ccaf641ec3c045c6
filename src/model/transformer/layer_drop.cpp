#include "model/transformer/layer_drop.h"

#include <torch/types.h>

namespace attend::model {

std::vector<bool> drawn_layers(int64_t layers, double probability, bool training) {
  std::vector<bool> drawn(static_cast<std::size_t>(layers), true);
  if (!training || probability <= 0.0) return drawn;
  const torch::Tensor numbers = torch::rand({layers}, torch::kFloat64);
  for (int64_t i = 0; i < layers; ++i) {
    drawn[static_cast<std::size_t>(i)] = numbers[i].item<double>() >= probability;
  }
  return drawn;
}

}  // namespace attend::model
