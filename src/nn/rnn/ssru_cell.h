#pragma once
#include "nn/layer_norm.h"
#include "nn/rnn/cell.h"

namespace attend::nn {

/// The simpler simple recurrent unit (nn/rnn/ssru.h) as the cell of a layer:
///   f = sigma(W_f x + b_f),  c' = f * c + (1 - f) * (W x + b),  h' = max(c', 0)
/// Nothing but c is fed back, and no matrix multiplies it, so that there is nothing for a recurrent
/// mask to drop. [f; news] in this order. With layer normalisation: LN of both (Ba et al. 2016).
class SsruCell final : public RnnCell, public FusedCell {
 public:
  SsruCell(int64_t input_size, int64_t hidden_size, bool layer_norm);

  [[nodiscard]] CellState step(const torch::Tensor& projected, const CellState& state,
                               const torch::Tensor& recurrent_mask) const override;
  [[nodiscard]] const FusedCell* fused() const override { return this; }
  void unroll(fused::Loop& loop, fused::LoopValue projected, const LoopState& previous,
              const torch::Tensor& recurrent_mask, const LoopState& next) const override;
  [[nodiscard]] bool has_cell() const override { return true; }
  void initialize(const at::Generator& generator) override;

 private:
  std::shared_ptr<LayerNorm> norm_;  // null without layer normalisation
};

}  // namespace attend::nn
