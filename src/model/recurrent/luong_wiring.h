#pragma once
#include "model/recurrent/fused_wiring.h"
#include "model/recurrent/wiring.h"
#include "nn/linear.h"

namespace attend::model {

/// Attention after the cell: the query is h_t, and the attentional state h~_t = tanh(W_c [c_t;
/// h_t]) goes to the output layer. With input feeding, h~_{t-1} is added to the next cell input.
/// Luong, Pham & Manning (2015), arXiv 1508.04025, Sec. 3.1, 3.3.
class LuongWiring final : public Wiring, public FusedWiring {
 public:
  LuongWiring(const ModelOptions& options, std::shared_ptr<nn::Attention> attention);

  [[nodiscard]] WiringStep advance(const torch::Tensor& projected, const nn::PreparedMemory& memory,
                                   const RecurrentState& state,
                                   const LayerMasks& masks) const override;
  /// Returns the attentional state unchanged.
  [[nodiscard]] torch::Tensor readout(const nn::IndexedRows& embedded, const torch::Tensor& hidden,
                                      const torch::Tensor& context) const override;
  [[nodiscard]] int64_t output_size() const override { return hidden_size_; }
  [[nodiscard]] RecurrentState start(const nn::PreparedMemory& memory,
                                     std::vector<nn::CellState> layers) const override;
  /// Without input feeding, all queries are known before the attention and attend at once.
  [[nodiscard]] Decoded decode(const torch::Tensor& embedded, const nn::PreparedMemory& memory,
                               const RecurrentState& start) const override;
  [[nodiscard]] const FusedWiring* fused() const override { return this; }
  [[nodiscard]] LoopWiringStep unroll(nn::fused::Loop& loop, nn::fused::LoopValue projected,
                                      const nn::PreparedMemory& memory, const RecurrentState& start,
                                      const LayerMasks& masks) const override;

 private:
  /// context [..., C], hidden [..., H] -> h~ [..., H].
  [[nodiscard]] torch::Tensor combine(const torch::Tensor& context,
                                      const torch::Tensor& hidden) const;
  /// The recurrent layers over all positions: [B, T, H].
  [[nodiscard]] torch::Tensor run_stack(const torch::Tensor& embedded,
                                        const RecurrentState& start) const;
  [[nodiscard]] torch::Tensor run_stack_plain(const torch::Tensor& embedded,
                                              std::vector<nn::CellState> layers,
                                              const LayerMasks& masks) const;
  /// run_stack() as one fused loop over all positions, including padding.
  [[nodiscard]] torch::Tensor run_stack_fused(const torch::Tensor& embedded,
                                              const std::vector<nn::CellState>& layers,
                                              const LayerMasks& masks) const;

  int64_t hidden_size_;
  std::shared_ptr<DecoderStack> stack_;
  std::shared_ptr<nn::Attention> attention_;
  std::shared_ptr<nn::Linear> combine_;
  std::shared_ptr<nn::Linear> feed_;  // null if there is no input feeding
};

}  // namespace attend::model
