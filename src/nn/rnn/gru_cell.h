#pragma once
#include "nn/layer_norm.h"
#include "nn/rnn/cell.h"

namespace attend::nn {

/// Gated recurrent unit (Cho et al. 2014, arXiv 1406.1078), with the reset gate applied after the
/// recurrent product, as in cuDNN and torch::gru:
///   r = sigma(x_r + U_r h),  z = sigma(x_z + U_z h),  n = tanh(x_n + r * (U_n h + b_n)),
///   h' = (1 - z) n + z h,  [x_r x_z x_n] = W x + b
/// With layer normalisation: LN(W x + b) and LN(U h) (Ba et al. 2016).
class GruCell final : public RnnCell, public FusedCell {
 public:
  GruCell(int64_t input_size, int64_t hidden_size, bool layer_norm);

  [[nodiscard]] CellState step(const torch::Tensor& projected, const CellState& state,
                               const torch::Tensor& recurrent_mask) const override;
  [[nodiscard]] const FusedCell* fused() const override { return this; }
  /// None with layer normalisation.
  [[nodiscard]] std::optional<LibraryCell> library_form() const override;
  void unroll(fused::Loop& loop, fused::LoopValue projected, const LoopState& previous,
              const torch::Tensor& recurrent_mask, const LoopState& next) const override;
  [[nodiscard]] bool has_cell() const override { return false; }
  void initialize(const at::Generator& generator) override;

 private:
  torch::Tensor candidate_bias_;           // [H], b_n inside the reset gate
  std::shared_ptr<LayerNorm> input_norm_;  // null without layer normalisation
  std::shared_ptr<LayerNorm> recurrent_norm_;
};

}  // namespace attend::nn
