#pragma once
#include <memory>

#include "model/recurrent/fused_wiring.h"
#include "model/recurrent/wiring.h"
#include "nn/linear.h"

namespace attend::model {

/// No attention (`answer`): cells as in PlainWiring, with W u added to every output s_t, where u is
/// the encoder's output at the end of the source. In a memory network u is the question after its
/// last hop. The output layer applied to W u gives the answer of Sukhbaatar et al. (2015), arXiv
/// 1503.08895, Eq. 3, but factors the paper's matrix in two and adds a bias. The paper's adjacent
/// tying shares that matrix with C of the last hop; here neither factor is tied. W u bypasses the
/// tanh of the cells, so that an initial training without softmax (the paper's linear start) can
/// teach which facts belong together. The cells distinguish the words of an answer.
class AnswerWiring final : public Wiring, public FusedWiring {
 public:
  static constexpr bool kAttends = false;

  AnswerWiring(const ModelOptions& options, int64_t memory_size);

  [[nodiscard]] WiringStep advance(const torch::Tensor& projected, const nn::PreparedMemory& memory,
                                   const RecurrentState& state,
                                   const LayerMasks& masks) const override;
  /// Returns s_t + W u unchanged.
  [[nodiscard]] torch::Tensor readout(const nn::IndexedRows& embedded, const torch::Tensor& hidden,
                                      const torch::Tensor& context) const override;
  [[nodiscard]] int64_t output_size() const override { return hidden_size_; }
  [[nodiscard]] const FusedWiring* fused() const override { return this; }
  [[nodiscard]] LoopWiringStep unroll(nn::fused::Loop& loop, nn::fused::LoopValue projected,
                                      const nn::PreparedMemory& memory, const RecurrentState& start,
                                      const LayerMasks& masks) const override;
  /// The state carries W u from step to step.
  [[nodiscard]] RecurrentState start(const nn::PreparedMemory& memory,
                                     std::vector<nn::CellState> layers) const override;

 private:
  int64_t hidden_size_;
  std::shared_ptr<DecoderStack> stack_;
  std::shared_ptr<nn::Linear> answer_;  // W
};

}  // namespace attend::model
