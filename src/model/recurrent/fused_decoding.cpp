#include "model/recurrent/fused_decoding.h"

#include "model/recurrent/fused_wiring.h"

namespace attend::model {
namespace {

/// The results of a loop, one after the other.
class Results {
 public:
  explicit Results(std::vector<torch::Tensor> all) : all_(std::move(all)) {}
  /// The next one, or an undefined tensor if it was not wanted.
  [[nodiscard]] torch::Tensor take(bool wanted) { return wanted ? all_[next_++] : torch::Tensor(); }

 private:
  std::vector<torch::Tensor> all_;
  std::size_t next_ = 0;
};

}  // namespace

Advanced advance_fused(const Wiring& wiring, const torch::Tensor& projected,
                       const nn::PreparedMemory& memory, const RecurrentState& state,
                       const LayerMasks& masks) {
  nn::fused::Loop loop(nn::fused::Packing(projected.size(0)), projected);
  const LoopAdvanced advanced =
      wiring.fused()->unroll(loop, loop.input(projected), memory, state, masks);
  std::vector<nn::fused::LoopResult> wanted{{advanced.hidden}};
  const auto want = [&wanted](const std::optional<nn::fused::LoopValue>& value) {
    if (value) wanted.push_back({*value});
  };
  want(advanced.context);
  want(advanced.weights);
  const bool has_cell = wiring.lowest().has_cell();
  for (const nn::LoopState& layer : advanced.layers) {
    wanted.push_back({layer.hidden});
    if (has_cell) wanted.push_back({layer.cell});
  }
  want(advanced.feed);

  Results results(loop.run(wanted));
  Advanced result;
  result.hidden = results.take(true);
  result.context = results.take(advanced.context.has_value());
  result.weights = results.take(advanced.weights.has_value());
  for (std::size_t i = 0; i < advanced.layers.size(); ++i) {
    const torch::Tensor hidden = results.take(true);
    result.state.layers.push_back({hidden, results.take(has_cell)});
  }
  result.state.feed = results.take(advanced.feed.has_value());
  if (const nn::Attention* const attention = wiring.attention()) {
    result.state.attention = attention->next(state.attention, result.weights);
  }
  result.state.position = state.position + 1;
  return result;
}

Decoded decode_fused(const Wiring& wiring, const nn::IndexedRows& embedded,
                     const torch::Tensor& lengths, const nn::PreparedMemory& memory,
                     const RecurrentState& start) {
  const nn::fused::Packing packing(lengths, embedded.sizes()[1]);
  LayerMasks masks = wiring.draw_masks(packing.sequences(), embedded.rows);
  for (torch::Tensor& mask : masks) {
    if (mask.defined()) mask = mask.index_select(0, packing.order());
  }
  nn::fused::Loop loop(packing, embedded.rows);
  const nn::fused::LoopValue projected =
      wiring.lowest().project(loop, packing.pack(embedded, nn::fused::ReadingDirection::forward));
  const LoopAdvanced advanced =
      wiring.fused()->unroll(loop, projected, memory.shared().select(packing.order()),
                             start.reorder(packing.order()), masks);
  std::vector<nn::fused::LoopResult> wanted{{advanced.hidden}};
  if (advanced.context) wanted.push_back({*advanced.context});
  if (advanced.weights) wanted.push_back({*advanced.weights});

  Results results(loop.run(wanted));
  const auto take = [&](bool there) {
    return there ? packing.unpack({{results.take(true)}}) : torch::Tensor();
  };
  const torch::Tensor hidden = take(true), context = take(advanced.context.has_value());
  return {wiring.readout(embedded, hidden, context), take(advanced.weights.has_value()), {}, {}};
}

}  // namespace attend::model
