#pragma once
#include <memory>

#include "model/transformer/feed_forward.h"
#include "model/transformer/mixer.h"
#include "model/transformer/residual.h"
#include "model/transformer/transformer_state.h"

namespace attend::model {

/// A mixer over the target so far, attention to the source and a feed-forward network, each inside
/// a Residual. Vaswani et al. (2017), arXiv 1706.03762, Sec. 3.1.
class DecoderLayer : public torch::nn::Module {
 public:
  /// `source`: options of the attention to the source, with queries and memory of options.size.
  DecoderLayer(const LayerOptions& options, std::shared_ptr<Mixer> mixer,
               const nn::AttentionOptions& source);

  /// nn::Attention::whole_reasons() of the attention to the source, followed by those of the mixer.
  [[nodiscard]] std::vector<std::string> plain_reasons() const;
  /// True if whole_reasons() of the attention to the source is empty.
  [[nodiscard]] bool has_fused_attention() const { return attention_->is_dot_softmax(); }
  /// The memory as the attention prepares it, once per sentence.
  [[nodiscard]] nn::PreparedMemory prepare(const nn::Memory& memory) const;
  /// nn::Attention::contributions() of the attention to the source.
  [[nodiscard]] torch::Tensor contributions(const torch::Tensor& weights,
                                            const nn::PreparedMemory& memory) const {
    return attention_->contributions(weights, memory);
  }
  /// State before the first position.
  [[nodiscard]] DecoderLayerState start(const nn::PreparedMemory& memory) const;

  struct Output {
    Stream x;               // [N, T, C]
    nn::Attended attended;  // to the source; its context is meaningless
    torch::Tensor self;     // Mixer::Mixed::weights
    DecoderLayerState state;
  };
  /// The weights that the caller needs.
  struct WantedWeights {
    nn::AttentionOutputs self, cross;
  };
  /// Processes positions x [N, T, C] that follow those of `state`, the first at `position`.
  [[nodiscard]] Output forward(const Stream& x, const nn::PreparedMemory& memory,
                               const DecoderLayerState& state, const Ancestry& ancestry,
                               int64_t position, WantedWeights wanted) const;

  struct Interactions {
    torch::Tensor self;   // [N, T, T]: AttentionSum::interactions()
    torch::Tensor cross;  // [N, T, 1 + S]: AttentionSum::interactions_apart()
  };
  /// The interactions of both attentions with weights [N, heads, T, T] and [N, heads, T, S], for
  /// the input x. Requires: a mixer with attention.
  [[nodiscard]] Interactions interactions(const Stream& x, const torch::Tensor& self_weights,
                                          const torch::Tensor& cross_weights,
                                          const nn::PreparedMemory& memory) const;

 private:
  double attention_dropout_;
  std::shared_ptr<Mixer> mixer_;
  std::shared_ptr<nn::Attention> attention_;
  std::shared_ptr<FeedForward> feed_forward_;
  Residual around_mixer_;
  Residual around_attention_;
  Residual around_feed_forward_;
};

}  // namespace attend::model
