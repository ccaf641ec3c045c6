#pragma once
#include "nn/layer_norm.h"
#include "nn/rnn/cell.h"

namespace attend::nn {

/// Long short-term memory (Hochreiter & Schmidhuber 1997; with the forget gate of Gers, Schmidhuber
/// & Cummins 2000):
///   [i f g o] = W_x x + W_h h + b
///   c' = sigma(f) * c + sigma(i) * tanh(g),   h' = sigma(o) * tanh(c')
/// Gates are in this order, as in torch::lstm. With layer normalisation (Ba et al. 2016, arXiv
/// 1607.06450, Eq. 20-22): LN(W_x x + b), LN(W_h h) and tanh(LN(c')). The bias of the forget gate
/// starts at 1 (Jozefowicz et al. 2015).
class LstmCell final : public RnnCell, public FusedCell {
 public:
  LstmCell(int64_t input_size, int64_t hidden_size, bool layer_norm);

  [[nodiscard]] CellState step(const torch::Tensor& projected, const CellState& state,
                               const torch::Tensor& recurrent_mask) const override;
  [[nodiscard]] const FusedCell* fused() const override { return this; }
  /// None with layer normalisation.
  [[nodiscard]] std::optional<LibraryCell> library_form() const override;
  void unroll(fused::Loop& loop, fused::LoopValue projected, const LoopState& previous,
              const torch::Tensor& recurrent_mask, const LoopState& next) const override;
  [[nodiscard]] bool has_cell() const override { return true; }
  void initialize(const at::Generator& generator) override;

 private:
  [[nodiscard]] torch::Tensor gates(const torch::Tensor& projected,
                                    const torch::Tensor& hidden) const;  // [N, 4H]

  std::shared_ptr<LayerNorm> input_norm_;  // null without layer normalisation
  std::shared_ptr<LayerNorm> recurrent_norm_;
  std::shared_ptr<LayerNorm> cell_norm_;
};

}  // namespace attend::nn
