#include "model/recurrent/recurrent_state.h"

namespace attend::model {

RecurrentState RecurrentState::reorder(const torch::Tensor& parents) const {
  RecurrentState reordered;
  for (const nn::CellState& layer : layers) reordered.layers.push_back(layer.select(parents));
  if (feed.defined()) reordered.feed = feed.index_select(0, parents);
  reordered.attention = attention.select(parents);
  reordered.position = position;
  return reordered;
}

std::vector<torch::Tensor> RecurrentState::tensors() const {
  std::vector<torch::Tensor> all;
  const auto add = [&all](const torch::Tensor& tensor) {
    if (tensor.defined()) all.push_back(tensor);
  };
  for (const nn::CellState& layer : layers) {
    add(layer.hidden);
    add(layer.cell);
  }
  add(feed);
  add(attention.previous);
  add(attention.coverage);
  return all;
}

}  // namespace attend::model
