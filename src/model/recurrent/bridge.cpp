#include "model/recurrent/bridge.h"

#include <fmt/format.h>

namespace attend::model {

Bridge::Bridge(const ModelOptions& options, int64_t memory_size)
    : kind_(options.decoder.bridge),
      hidden_size_(options.decoder.hidden),
      layers_(options.decoder.layers),
      has_cell_(options.decoder.cell == "lstm") {
  if (kind_ == "zero" || kind_ == "copy") return;
  for (int64_t i = 0; i < layers_; ++i) {
    const auto add = [&](const char* part) {
      return register_module(fmt::format("layer{}_{}", i, part),
                             std::make_shared<nn::Linear>(memory_size, hidden_size_));
    };
    to_hidden_.push_back(add("hidden"));
    if (has_cell_) to_cell_.push_back(add("cell"));
  }
}

nn::CellState Bridge::zeros(const EncoderOutput& encoded) const {
  const torch::Tensor zero =
      torch::zeros({encoded.outputs.size(0), hidden_size_}, encoded.outputs.options());
  return {zero, has_cell_ ? zero : torch::Tensor()};
}

nn::CellState Bridge::source(const EncoderOutput& encoded) const {
  if (kind_ == "mean") {
    const torch::Tensor mean =
        encoded.outputs.sum(1) / encoded.lengths.unsqueeze(1).to(encoded.outputs.scalar_type());
    return {mean, mean};
  }
  const nn::CellState& top = encoded.last.back();
  return {top.hidden, top.cell.defined() ? top.cell : top.hidden};
}

std::vector<nn::CellState> Bridge::forward(const EncoderOutput& encoded) const {
  if (kind_ == "copy") return encoded.last;
  if (kind_ == "zero") {
    return std::vector<nn::CellState>(static_cast<std::size_t>(layers_), zeros(encoded));
  }
  const nn::CellState from = source(encoded);
  std::vector<nn::CellState> states;
  for (std::size_t i = 0; i < to_hidden_.size(); ++i) {
    states.push_back({to_hidden_[i]->forward(from.hidden).tanh(), {}});
    if (has_cell_) states.back().cell = to_cell_[i]->forward(from.cell);
  }
  return states;
}

}  // namespace attend::model
