#include "model/recurrent/decoder_state.h"

namespace attend::model {

DecoderState DecoderState::select(const torch::Tensor& parents) const {
  DecoderState selected;
  for (const nn::CellState& layer : layers) selected.layers.push_back(layer.select(parents));
  if (feed.defined()) selected.feed = feed.index_select(0, parents);
  selected.attention = attention.select(parents);
  selected.position = position;
  return selected;
}

}  // namespace attend::model
