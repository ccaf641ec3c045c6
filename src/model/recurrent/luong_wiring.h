#pragma once
#include "model/recurrent/wiring.h"
#include "nn/linear.h"

namespace attend::model {

/// Attention after the cell: query h_t, attentional state h~_t = tanh(W_c [c_t; h_t]), which goes
/// to the output layer. With input feeding h~_{t-1} joins the next cell input. Luong, Pham &
/// Manning (2015), arXiv 1508.04025, Sec. 3.1, 3.3.
class LuongWiring final : public Wiring {
 public:
  LuongWiring(const ModelOptions& options, int64_t memory_size);

  [[nodiscard]] torch::Tensor project(const torch::Tensor& embedded) const override;
  [[nodiscard]] nn::fused::LoopValue project(nn::fused::Loop& loop,
                                             const nn::IndexedRows& embedded) const override;
  [[nodiscard]] Advanced advance(const torch::Tensor& projected, const nn::PreparedMemory& memory,
                                 const DecoderState& state, const LayerMasks& masks) const override;
  /// The attentional state itself.
  [[nodiscard]] torch::Tensor readout(const nn::IndexedRows& embedded, const torch::Tensor& hidden,
                                      const torch::Tensor& context) const override;
  [[nodiscard]] DecoderState start(const nn::PreparedMemory& memory,
                                   std::vector<nn::CellState> layers) const override;
  [[nodiscard]] LayerMasks draw_masks(int64_t rows, const torch::Tensor& like) const override;
  [[nodiscard]] int64_t output_size() const override { return hidden_size_; }
  [[nodiscard]] nn::PreparedMemory prepare(const nn::Memory& memory) const override;
  /// Without input feeding all queries are known before any attention, so they attend at once.
  [[nodiscard]] Decoded decode(const nn::IndexedRows& embedded, const torch::Tensor& lengths,
                               const nn::PreparedMemory& memory,
                               const DecoderState& start) const override;
  [[nodiscard]] bool is_fusible() const override;
  [[nodiscard]] LoopAdvanced unroll(nn::fused::Loop& loop, nn::fused::LoopValue projected,
                                    const nn::PreparedMemory& memory, const DecoderState& start,
                                    const LayerMasks& masks) const override;

 private:
  /// context [..., C], hidden [..., H] -> h~ [..., H].
  [[nodiscard]] torch::Tensor combine(const torch::Tensor& context,
                                      const torch::Tensor& hidden) const;
  /// The recurrent layers over all positions: [B, T, H].
  [[nodiscard]] torch::Tensor run_stack(const torch::Tensor& embedded,
                                        const DecoderState& start) const;

  int64_t hidden_size_;
  double attention_dropout_;
  std::shared_ptr<DecoderStack> stack_;
  std::shared_ptr<nn::Attention> attention_;
  std::shared_ptr<nn::Linear> combine_;
  std::shared_ptr<nn::Linear> feed_;  // null without input feeding
};

}  // namespace attend::model
