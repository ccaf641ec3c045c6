#pragma once
#include <memory>
#include <vector>

#include "model/encoder.h"
#include "model/options.h"
#include "model/transformer/encoder_layer.h"
#include "model/transformer/stack_input.h"

namespace attend::model {

/// Stacked EncoderLayers over a StackInput, with a final layer normalisation if the layers are
/// "pre". The summary is one state, the mean of the outputs.
class TransformerEncoder final : public Encoder {
 public:
  TransformerEncoder(const TransformerEncoderOptions& options, const ModelOptions& model);

  [[nodiscard]] std::vector<EncoderOutput> encode(const nn::IndexedRows& embedded,
                                                  const data::SentenceBatch& source) const override;
  [[nodiscard]] TracedEncoding trace(const nn::IndexedRows& embedded,
                                     const data::SentenceBatch& source) const override;
  [[nodiscard]] std::vector<std::string> interaction_obstacles() const override { return {}; }
  [[nodiscard]] TracedEncoding trace_interactions(const nn::IndexedRows& embedded,
                                                  const data::SentenceBatch& source) const override;
  [[nodiscard]] LayerHeads self_attention_heads() const override;
  [[nodiscard]] bool is_stack() const override { return true; }
  [[nodiscard]] std::vector<EncoderShape> shapes() const override;
  [[nodiscard]] bool drops_embeddings() const override { return true; }
  [[nodiscard]] std::vector<std::string> plain_reasons() const override;

 private:
  /// Runs layer i. With Execution::recompute the backward pass recomputes it.
  [[nodiscard]] EncoderLayer::Output run_layer(std::size_t i, const Stream& x,
                                               const torch::Tensor& mask,
                                               const torch::Tensor& lengths,
                                               nn::AttentionOutputs wanted) const;
  /// Receive a map of each layer that takes part; null if they are not needed.
  struct Recording {
    LayerMaps* weights = nullptr;
    LayerMaps* interactions = nullptr;  // needs weights
  };
  [[nodiscard]] torch::Tensor run_layers(Stream x, const torch::Tensor& mask,
                                         const torch::Tensor& lengths,
                                         const Recording& recording) const;
  [[nodiscard]] EncoderOutput read(const nn::IndexedRows& embedded,
                                   const data::SentenceBatch& source,
                                   const Recording& recording) const;

  int64_t size_;
  int64_t heads_;
  double layer_drop_;
  std::shared_ptr<StackInput> input_;
  std::vector<std::shared_ptr<EncoderLayer>> layers_;
  std::shared_ptr<nn::LayerNorm> norm_;  // null: the layers end in a normalisation
};

}  // namespace attend::model
