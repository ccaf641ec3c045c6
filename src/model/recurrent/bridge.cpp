#include "model/recurrent/bridge.h"

#include <fmt/format.h>

#include "core/error.h"

namespace attend::model {

Bridge::Bridge(const RecurrentDecoderOptions& options, const EncoderShape& shape, bool has_cell)
    : kind_(options.bridge), layers_(options.layers), has_cell_(has_cell) {
  if ((kind_ == BridgeKind::copy || kind_ == BridgeKind::last) && !shape.has_summary) {
    throw ConfigError(
        fmt::format("model.decoder.bridge: {} reads the encoder's last states, but this encoder "
                    "has none; choose mean or zero",
                    kind_));
  }
  if (kind_ == BridgeKind::zero || kind_ == BridgeKind::copy) return;
  for (int64_t i = 0; i < layers_; ++i) {
    const auto add = [&](const char* part) {
      return register_module(fmt::format("layer{}_{}", i, part),
                             std::make_shared<nn::Linear>(shape.size, options.hidden));
    };
    to_hidden_.push_back(add("hidden"));
    if (has_cell_) to_cell_.push_back(add("cell"));
  }
}

nn::CellState Bridge::source(const EncoderOutput& encoded) const {
  if (kind_ == BridgeKind::mean) {
    const torch::Tensor mean = encoded.mean();
    return {mean, mean};
  }
  const nn::CellState& top = encoded.summary.back();
  return {top.hidden, top.has_vector() ? top.cell : top.hidden};
}

std::vector<nn::CellState> Bridge::forward(const EncoderOutput& encoded,
                                           const nn::CellState& nothing) const {
  if (kind_ == BridgeKind::copy) return encoded.summary;
  if (kind_ == BridgeKind::zero) {
    return std::vector<nn::CellState>(static_cast<std::size_t>(layers_), nothing);
  }
  const nn::CellState from = source(encoded);
  std::vector<nn::CellState> states;
  for (std::size_t i = 0; i < to_hidden_.size(); ++i) {
    states.push_back({to_hidden_[i]->forward(from.hidden).tanh(), nothing.cell});
    if (has_cell_) states.back().cell = to_cell_[i]->forward(from.cell);
  }
  return states;
}

}  // namespace attend::model
