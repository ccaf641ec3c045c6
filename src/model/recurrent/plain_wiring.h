#pragma once
#include "model/recurrent/fused_wiring.h"
#include "model/recurrent/wiring.h"

namespace attend::model {

/// No attention (`none`): the decoder sees only the encoder's last state, through the bridge.
/// Sutskever, Vinyals & Le (2014), arXiv 1409.3215.
class PlainWiring final : public Wiring, public FusedWiring {
 public:
  static constexpr bool kAttends = false;

  explicit PlainWiring(const ModelOptions& options);

  [[nodiscard]] WiringStep advance(const torch::Tensor& projected, const nn::PreparedMemory& memory,
                                   const RecurrentState& state,
                                   const LayerMasks& masks) const override;
  /// Returns the top state unchanged.
  [[nodiscard]] torch::Tensor readout(const nn::IndexedRows& embedded, const torch::Tensor& hidden,
                                      const torch::Tensor& context) const override;
  [[nodiscard]] int64_t output_size() const override { return hidden_size_; }
  [[nodiscard]] const FusedWiring* fused() const override { return this; }
  [[nodiscard]] LoopWiringStep unroll(nn::fused::Loop& loop, nn::fused::LoopValue projected,
                                      const nn::PreparedMemory& memory, const RecurrentState& start,
                                      const LayerMasks& masks) const override;

 private:
  int64_t hidden_size_;
  std::shared_ptr<DecoderStack> stack_;
};

}  // namespace attend::model
