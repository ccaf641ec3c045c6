#pragma once
#include "model/recurrent/fused_wiring.h"
#include "model/recurrent/readout.h"
#include "model/recurrent/wiring.h"
#include "nn/linear.h"

namespace attend::model {

/// Attention before the cell: the query is s_{t-1}, the cell reads the previous word and the
/// context c_t, and the readout reads s_t, the previous word and c_t. Bahdanau, Cho & Bengio
/// (2015), arXiv 1409.0473, Sec. 3.1 (App. A.2.2 reads s_{t-1} instead of s_t).
class BahdanauWiring final : public Wiring, public FusedWiring {
 public:
  BahdanauWiring(const ModelOptions& options, std::shared_ptr<nn::Attention> attention);

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
  int64_t output_size_;
  std::shared_ptr<DecoderStack> stack_;
  std::shared_ptr<nn::Attention> attention_;
  std::shared_ptr<nn::Linear> context_input_;
  std::shared_ptr<Readout> readout_;
};

}  // namespace attend::model
