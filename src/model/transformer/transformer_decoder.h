#pragma once
#include <functional>
#include <memory>
#include <vector>

#include "model/decoder.h"
#include "model/options.h"
#include "model/transformer/decoder_layer.h"
#include "model/transformer/stack_input.h"

namespace attend::model {

/// Stacked DecoderLayers over a StackInput: the decoder types `transformer`, `ssru`, `gru` and
/// `lstm`, which differ only in the mixer of the layers. Reads one memory, projected to its width
/// if necessary, and prepares it for each layer. It returns the attention of one layer
/// (`alignment_layer`), which layer drop never drops.
class TransformerDecoder final : public Decoder {
 public:
  /// Makes the first part (mixer) of each layer.
  struct Mixing {
    std::function<std::shared_ptr<Mixer>(const LayerOptions&)> make;
    const LayerAttentionOptions* self_attention;  // null: a recurrent unit
  };
  /// Throws ConfigError if the encoder gives several memories or the number of heads does not fit.
  TransformerDecoder(const StackDecoderOptions& options, const Mixing& mixing,
                     const ModelOptions& model, const std::vector<EncoderShape>& shapes);

  /// The stack of layers as "decoder".
  [[nodiscard]] std::vector<NamedModule> modules() const override;
  [[nodiscard]] int64_t output_size() const override { return size_; }
  [[nodiscard]] Encoded start(const std::vector<EncoderOutput>& sources) const override;
  [[nodiscard]] Decoded decode(const nn::IndexedRows& embedded, const torch::Tensor& lengths,
                               const Encoded& encoded) const override;
  [[nodiscard]] TracedDecoding trace(const nn::IndexedRows& embedded, const torch::Tensor& lengths,
                                     const Encoded& encoded) const override;
  [[nodiscard]] TracedDecoding trace_interactions(const nn::IndexedRows& embedded,
                                                  const torch::Tensor& lengths,
                                                  const Encoded& encoded) const override;
  [[nodiscard]] DecodedStep step(const torch::Tensor& tokens, const nn::Embedding& embedding,
                                 const Memories& memories,
                                 const DecoderState& state) const override;

  [[nodiscard]] bool attends() const override { return true; }
  [[nodiscard]] LayerHeads cross_attention_heads() const override;
  [[nodiscard]] LayerHeads self_attention_heads() const override;
  [[nodiscard]] std::size_t shown_layer() const override;
  [[nodiscard]] bool has_contributions() const override { return whole_weights_; }
  [[nodiscard]] std::vector<std::string> interaction_obstacles() const override;
  [[nodiscard]] bool drops_embeddings() const override { return true; }
  [[nodiscard]] std::vector<std::string> plain_reasons() const override;
  [[nodiscard]] bool has_fused_attention() const override;

 private:
  /// All parameters, under their names in weights files.
  class Stack;

  int64_t size_;
  bool whole_weights_;  // one weight for all features of a position
  LayerHeads cross_heads_;
  LayerHeads self_heads_;  // empty if the mixers are recurrent units
  std::shared_ptr<Stack> stack_;
};

}  // namespace attend::model
