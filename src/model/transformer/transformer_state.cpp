#include "model/transformer/transformer_state.h"

namespace attend::model {

TransformerState TransformerState::reorder(const torch::Tensor& parents) const {
  TransformerState reordered{
      {}, position, ancestors.defined() ? ancestors.index_select(0, parents) : ancestors};
  for (const DecoderLayerState& layer : layers) {
    reordered.layers.push_back({layer.mixer.select(parents), layer.attention.select(parents)});
  }
  return reordered;
}

std::vector<torch::Tensor> TransformerState::tensors() const {
  std::vector<torch::Tensor> all;
  for (const DecoderLayerState& layer : layers) {
    all.insert(all.end(), layer.mixer.history.keys.begin(), layer.mixer.history.keys.end());
    all.insert(all.end(), layer.mixer.history.values.begin(), layer.mixer.history.values.end());
    for (const torch::Tensor& tensor :
         {layer.mixer.cache.keys, layer.mixer.cache.values, layer.mixer.unit.hidden,
          layer.mixer.unit.cell, layer.attention.previous, layer.attention.coverage}) {
      if (tensor.defined()) all.push_back(tensor);
    }
  }
  return all;
}

}  // namespace attend::model
