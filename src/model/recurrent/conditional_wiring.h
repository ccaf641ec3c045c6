#pragma once
#include "model/recurrent/fused_wiring.h"
#include "model/recurrent/readout.h"
#include "model/recurrent/wiring.h"

namespace attend::model {

/// Two half-steps around the attention ("conditional GRU", the dl4mt decoder):
///   s'_t = cell_1(y_{t-1}, s_{t-1}),  c_t = attention(s'_t),  s_t = cell_2(c_t, s'_t)
/// The readout reads s_t, the previous word and c_t. Sennrich et al. (2017), arXiv 1703.04357, Sec.
/// 2.1. Further layers are stacked on s_t. An LSTM's cell state passes through both half-steps.
class ConditionalWiring final : public Wiring, public FusedWiring {
 public:
  ConditionalWiring(const ModelOptions& options, std::shared_ptr<nn::Attention> attention);

  /// `masks` are for cell_1, cell_2 and the upper layers, in this order.
  [[nodiscard]] WiringStep advance(const torch::Tensor& projected, const nn::PreparedMemory& memory,
                                   const RecurrentState& state,
                                   const LayerMasks& masks) const override;
  [[nodiscard]] torch::Tensor readout(const nn::IndexedRows& embedded, const torch::Tensor& hidden,
                                      const torch::Tensor& context) const override;
  [[nodiscard]] int64_t output_size() const override { return output_size_; }
  [[nodiscard]] const FusedWiring* fused() const override { return this; }
  [[nodiscard]] LoopWiringStep unroll(nn::fused::Loop& loop, nn::fused::LoopValue projected,
                                      const nn::PreparedMemory& memory, const RecurrentState& start,
                                      const LayerMasks& masks) const override;

 private:
  /// Runs the layers above `lowest`, if any.
  [[nodiscard]] DecoderStack::Output run_upper_layers(const nn::CellState& lowest,
                                                      const std::vector<nn::CellState>& layers,
                                                      const LayerMasks& masks) const;

  int64_t output_size_;
  std::shared_ptr<nn::RnnCell> first_;
  std::shared_ptr<nn::Attention> attention_;
  std::shared_ptr<nn::RnnCell> second_;
  std::shared_ptr<DecoderStack> upper_;  // null with one layer
  bool residual_;
  std::shared_ptr<Readout> readout_;
};

}  // namespace attend::model
