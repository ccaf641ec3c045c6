#pragma once
#include <memory>

#include "model/recurrent/fused_wiring.h"
#include "model/recurrent/wiring.h"
#include "nn/linear.h"

namespace attend::model {

/// No attention (`answer`): cells as in PlainWiring, to whose every output s_t what the encoder
/// gives at the end of the source, u, is added: s_t + W u. Of a memory network, that is what the
/// question has become by its last hop, and W u followed by the output layer is that paper's answer
/// (Sukhbaatar et al. 2015, arXiv 1503.08895, Eq. 3) in two factors and with a bias; neither is the
/// last hop's C, as adjacent tying has it there. Facts must reach an answer without a tanh if a
/// linear start shall teach the network which of them belong together; the cells tell the words of
/// one answer apart.
class AnswerWiring final : public Wiring, public FusedWiring {
 public:
  static constexpr bool kAttends = false;

  AnswerWiring(const ModelOptions& options, int64_t memory_size);

  [[nodiscard]] Advanced advance(const torch::Tensor& projected, const nn::PreparedMemory& memory,
                                 const RecurrentState& state,
                                 const LayerMasks& masks) const override;
  /// s_t + W u itself.
  [[nodiscard]] torch::Tensor readout(const nn::IndexedRows& embedded, const torch::Tensor& hidden,
                                      const torch::Tensor& context) const override;
  [[nodiscard]] int64_t output_size() const override { return hidden_size_; }
  [[nodiscard]] const FusedWiring* fused() const override { return this; }
  [[nodiscard]] LoopAdvanced unroll(nn::fused::Loop& loop, nn::fused::LoopValue projected,
                                    const nn::PreparedMemory& memory, const RecurrentState& start,
                                    const LayerMasks& masks) const override;
  /// W u is what is carried from step to step.
  [[nodiscard]] RecurrentState start(const nn::PreparedMemory& memory,
                                     std::vector<nn::CellState> layers) const override;

 private:
  int64_t hidden_size_;
  std::shared_ptr<DecoderStack> stack_;
  std::shared_ptr<nn::Linear> answer_;  // W
};

}  // namespace attend::model
