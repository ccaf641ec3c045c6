#pragma once
#include <memory>
#include <vector>

#include "model/encoder.h"
#include "model/options.h"
#include "model/recurrent/self_attention.h"
#include "nn/rnn/sequence.h"

namespace attend::model {

/// Stacked recurrent layers in one or both directions (Schuster & Paliwal 1997). In both, layer l+1
/// reads the two outputs of layer l side by side. Self-attention, if asked for, stands on top of
/// them all. The summary is the state of each layer after all of the source, both directions side
/// by side.
class RecurrentEncoder final : public Encoder {
 public:
  RecurrentEncoder(const RecurrentEncoderOptions& options, const DropoutOptions& dropout,
                   int64_t input_size);

  /// As source_reading.h says.
  [[nodiscard]] data::SentenceBatch arranged(const data::SentenceBatch& source) const override;
  [[nodiscard]] std::vector<EncoderOutput> encode(const nn::IndexedRows& embedded,
                                                  const data::SentenceBatch& source) const override;
  [[nodiscard]] TracedEncoding trace(const nn::IndexedRows& embedded,
                                     const data::SentenceBatch& source) const override;
  /// None of a source that is read in another order.
  [[nodiscard]] LayerHeads self_attention_heads() const override;
  /// The same.
  [[nodiscard]] LayerHeads memory_heads() const override;
  [[nodiscard]] std::vector<EncoderShape> shapes() const override;
  [[nodiscard]] std::vector<std::string> plain_reasons() const override;

  /// The one output of encode().
  [[nodiscard]] EncoderOutput forward(const nn::IndexedRows& embedded, const torch::Tensor& lengths,
                                      const torch::Tensor& mask) const;

  /// C: the size of outputs, hidden times directions.
  [[nodiscard]] int64_t output_size() const;

 private:
  struct Layer {
    std::shared_ptr<nn::RnnCell> forward;
    std::shared_ptr<nn::RnnCell> backward;  // null if the encoder reads one way
  };
  [[nodiscard]] nn::SequenceOutput run_layer(const Layer& layer, const nn::IndexedRows& x,
                                             const torch::Tensor& lengths, bool keep_heads) const;
  struct Read {
    EncoderOutput output;
    torch::Tensor self;     // [B, heads, S, S]; undefined without self-attention
    LayerMaps memory = {};  // [B, heads, S, M]; empty unless they are kept
  };
  [[nodiscard]] Read read(const nn::IndexedRows& embedded, const torch::Tensor& lengths,
                          const torch::Tensor& mask, bool keep_heads = false) const;
  /// Whether a position is a word of the source, and all are in their order.
  [[nodiscard]] bool reads_as_it_stands() const {
    return !options_.reverse_source && options_.repeat_source == 1;
  }
  /// `cell` from zeros for N rows, with a mask of variational dropout of its own.
  [[nodiscard]] nn::Direction direction(const nn::RnnCell& cell, int64_t rows,
                                        const torch::Tensor& like) const;

  RecurrentEncoderOptions options_;
  DropoutOptions dropout_;
  std::vector<Layer> layers_;
  std::shared_ptr<SelfAttention> self_attention_;  // null without
};

}  // namespace attend::model
