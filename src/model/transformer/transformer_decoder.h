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
/// `lstm`, which differ in the layers' mixer alone. Reads one memory, projected to its width where
/// that is another, and makes of it one for each layer. The attention that it shows is that of one
/// layer (`alignment_layer`), which layer drop leaves in.
class TransformerDecoder final : public Decoder {
 public:
  /// The first part of each layer.
  struct Mixing {
    std::function<std::shared_ptr<Mixer>(const LayerOptions&)> make;
    const LayerAttentionOptions* self_attention;  // null: a recurrent unit
  };
  /// Throws ConfigError unless the encoder gives one memory, and for heads that do not fit.
  TransformerDecoder(const StackDecoderOptions& options, const Mixing& mixing,
                     const ModelOptions& model, const std::vector<EncoderShape>& shapes);

  /// "decoder".
  [[nodiscard]] std::vector<NamedModule> modules() const override;
  [[nodiscard]] int64_t output_size() const override { return size_; }
  [[nodiscard]] Encoded start(const std::vector<EncoderOutput>& sources) const override;
  [[nodiscard]] Decoded decode(const nn::IndexedRows& embedded, const torch::Tensor& lengths,
                               const Encoded& encoded) const override;
  [[nodiscard]] TracedDecoding trace(const nn::IndexedRows& embedded, const torch::Tensor& lengths,
                                     const Encoded& encoded) const override;
  [[nodiscard]] DecodedStep step(const torch::Tensor& tokens, const nn::Embedding& embedding,
                                 const Memories& memories,
                                 const DecoderState& state) const override;

  [[nodiscard]] bool attends() const override { return true; }
  [[nodiscard]] LayerHeads cross_attention_heads() const override;
  [[nodiscard]] LayerHeads self_attention_heads() const override;
  [[nodiscard]] std::size_t shown_layer() const override;
  [[nodiscard]] bool drops_embeddings() const override { return true; }
  [[nodiscard]] std::vector<std::string> plain_reasons() const override;
  [[nodiscard]] bool looks_fused() const override;

 private:
  /// All of its parameters, under the names that weights files have.
  class Stack;

  int64_t size_;
  LayerHeads cross_heads_;
  LayerHeads self_heads_;  // empty: recurrent units in its place
  std::shared_ptr<Stack> stack_;
};

}  // namespace attend::model
