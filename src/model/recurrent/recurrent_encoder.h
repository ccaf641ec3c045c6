#pragma once
#include <memory>
#include <vector>

#include "model/encoder.h"
#include "model/options.h"
#include "model/recurrent/self_attention.h"
#include "nn/rnn/sequence.h"

namespace attend::model {

/// Stacked recurrent layers in one or both directions (Schuster & Paliwal 1997). With both, layer
/// l+1 reads the concatenated outputs of layer l. Optional self-attention follows the top layer.
/// The summary is each layer's state after the whole source, with both directions concatenated.
class RecurrentEncoder final : public Encoder {
 public:
  RecurrentEncoder(const RecurrentEncoderOptions& options, const DropoutOptions& dropout,
                   int64_t input_size);

  /// Reverses and repeats the source; see source_reading.h.
  [[nodiscard]] data::SentenceBatch arranged(const data::SentenceBatch& source) const override;
  [[nodiscard]] std::vector<EncoderOutput> encode(const nn::IndexedRows& embedded,
                                                  const data::SentenceBatch& source) const override;
  [[nodiscard]] TracedEncoding trace(const nn::IndexedRows& embedded,
                                     const data::SentenceBatch& source) const override;
  /// Empty if the source is reversed or repeated.
  [[nodiscard]] LayerHeads self_attention_heads() const override;
  /// Empty if the source is reversed or repeated, or if no cell has a memory.
  [[nodiscard]] LayerHeads memory_heads() const override;
  [[nodiscard]] std::vector<EncoderShape> shapes() const override;
  [[nodiscard]] std::vector<std::string> plain_reasons() const override;

  /// The only output of encode().
  [[nodiscard]] EncoderOutput forward(const nn::IndexedRows& embedded, const torch::Tensor& lengths,
                                      const torch::Tensor& mask) const;

  /// C: the size of the outputs, hidden times directions.
  [[nodiscard]] int64_t output_size() const;

 private:
  struct Layer {
    std::shared_ptr<nn::RnnCell> forward;
    std::shared_ptr<nn::RnnCell> backward;  // null if the encoder is not bidirectional
  };
  /// Lengths on the device of the rows and on the CPU (undefined if not known there).
  struct Lengths {
    torch::Tensor here;
    torch::Tensor on_host;
  };
  [[nodiscard]] static Lengths lengths_of(const data::SentenceBatch& source);
  [[nodiscard]] nn::SequenceOutput run_layer(const Layer& layer, const nn::IndexedRows& x,
                                             const Lengths& lengths, bool keep_heads) const;
  struct Read {
    EncoderOutput output;
    torch::Tensor self;     // [B, heads, S, S]; undefined without self-attention
    LayerMaps memory = {};  // [B, heads, S, M]; empty unless requested
  };
  [[nodiscard]] Read read(const nn::IndexedRows& embedded, const Lengths& lengths,
                          const torch::Tensor& mask, bool keep_heads = false) const;
  /// True if the positions are the words of the source in order.
  [[nodiscard]] bool keeps_source_order() const {
    return !options_.reverse_source && options_.repeat_source == 1;
  }
  /// `cell` with N zero states and its own mask of variational dropout.
  [[nodiscard]] nn::Direction direction(const nn::RnnCell& cell, int64_t rows,
                                        const torch::Tensor& like) const;

  RecurrentEncoderOptions options_;
  DropoutOptions dropout_;
  std::vector<Layer> layers_;
  std::shared_ptr<SelfAttention> self_attention_;  // null without self-attention
};

}  // namespace attend::model
