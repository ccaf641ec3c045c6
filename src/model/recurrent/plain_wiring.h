#pragma once
#include "model/recurrent/wiring.h"

namespace attend::model {

/// No attention (`none`): the decoder sees the encoder's last state through the bridge and nothing
/// else. Sutskever, Vinyals & Le (2014), arXiv 1409.3215.
class PlainWiring final : public Wiring {
 public:
  PlainWiring(const ModelOptions& options, int64_t memory_size);

  [[nodiscard]] torch::Tensor project(const torch::Tensor& embedded) const override;
  [[nodiscard]] nn::fused::LoopValue project(nn::fused::Loop& loop,
                                             const nn::IndexedRows& embedded) const override;
  [[nodiscard]] Advanced advance(const torch::Tensor& projected, const nn::PreparedMemory& memory,
                                 const DecoderState& state, const LayerMasks& masks) const override;
  /// The top state itself.
  [[nodiscard]] torch::Tensor readout(const nn::IndexedRows& embedded, const torch::Tensor& hidden,
                                      const torch::Tensor& context) const override;
  [[nodiscard]] DecoderState start(const nn::PreparedMemory& memory,
                                   std::vector<nn::CellState> layers) const override;
  [[nodiscard]] LayerMasks draw_masks(int64_t rows, const torch::Tensor& like) const override;
  [[nodiscard]] int64_t output_size() const override { return hidden_size_; }
  /// The memory as it is; it is never read.
  [[nodiscard]] nn::PreparedMemory prepare(const nn::Memory& memory) const override;
  [[nodiscard]] bool is_fusible() const override;
  [[nodiscard]] LoopAdvanced unroll(nn::fused::Loop& loop, nn::fused::LoopValue projected,
                                    const nn::PreparedMemory& memory, const DecoderState& start,
                                    const LayerMasks& masks) const override;

 private:
  int64_t hidden_size_;
  std::shared_ptr<DecoderStack> stack_;
};

}  // namespace attend::model
