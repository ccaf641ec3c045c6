#pragma once
#include "nn/layer_norm.h"
#include "nn/rnn/cell.h"

namespace attend::nn {

/// Minimal gated recurrent unit (Feng et al. 2024, arXiv 2410.01201), a GRU whose gate and
/// candidate depend on the input alone:
///   z = sigma(W_z x + b_z),  h' = (1 - z) * h + z * (W x + b)
/// No matrix multiplies h, so a recurrent mask has no effect. Rows of the projection: [z;
/// candidate]. With layer normalisation: LN of both (Ba et al. 2016).
class MinGruCell final : public RnnCell, public FusedCell {
 public:
  MinGruCell(int64_t input_size, int64_t hidden_size, bool layer_norm);

  [[nodiscard]] CellState step(const torch::Tensor& projected, const CellState& state,
                               const torch::Tensor& recurrent_mask) const override;
  [[nodiscard]] const FusedCell* fused() const override { return this; }
  void unroll(fused::Loop& loop, fused::LoopValue projected, const LoopState& previous,
              const torch::Tensor& recurrent_mask, const LoopState& next) const override;
  [[nodiscard]] bool has_cell() const override { return false; }
  void initialize(const at::Generator& generator) override;

 private:
  std::shared_ptr<LayerNorm> norm_;  // null without layer normalisation
};

}  // namespace attend::nn
