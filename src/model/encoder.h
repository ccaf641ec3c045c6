#pragma once
#include <torch/nn/module.h>
#include <torch/types.h>

#include <string>
#include <vector>

#include "data/batch.h"
#include "model/attention_maps.h"
#include "nn/indexed_rows.h"
#include "nn/rnn/cell.h"

namespace attend::model {

/// Output of an encoder for a batch of sentences.
struct EncoderOutput {
  torch::Tensor outputs;  // [B, S, C], zero on padding
  torch::Tensor lengths;  // [B] int64 on the device of `outputs`, real positions
  torch::Tensor mask;     // [B, S] bool, true = real position
  /// State of the whole source, [B, C] for each layer, for decoders that start from it; may be
  /// empty.
  std::vector<nn::CellState> summary = {};
  /// For groups: the positions of the previous output in each group, [B, S, L] int64; the previous
  /// output is the one before this in the encoder's list. For K sources: the positions of each
  /// source in the previous output, [B, K, L]. Padded with the number of positions of the previous
  /// output. Undefined otherwise.
  torch::Tensor columns = {};

  /// Mean over the real positions, [B, C].
  [[nodiscard]] torch::Tensor mean() const {
    return outputs.sum(1) / lengths.unsqueeze(1).to(outputs.scalar_type());
  }
};

/// Properties of an EncoderOutput that are known in advance.
struct EncoderShape {
  int64_t size = 0;          // C
  bool has_summary = false;  // true if `summary` is not empty
  bool groups = false;       // true if its positions are groups of positions of the previous output
  int64_t sources = 1;       // above 1: number of sources whose positions it holds; the next output
                             // then holds the sources as a whole
};

/// An encoding with its attention weights.
struct TracedEncoding {
  std::vector<EncoderOutput> outputs;
  LayerMaps self;               // [B, heads, S, S]: rows attend to columns
  LayerMaps memory = {};        // [B, heads, S, M]: weights of memory heads after each position
  LayerMaps interactions = {};  // [B, S, S] of self-attention layers; only trace_interactions()
};

/// Reads a source. Dropout is active in training mode only. To add a kind, add a class and its
/// options in a folder of its own, its options in families.h, and a test.
class Encoder : public torch::nn::Module {
 public:
  /// The source as the encoder reads it, with positions reordered or repeated.
  [[nodiscard]] virtual data::SentenceBatch arranged(const data::SentenceBatch& source) const {
    return source;
  }

  /// Encodes embedded [B, S, E], a vector for each word of an arranged `source`, on the device of
  /// its ids. Returns one output for each of shapes().
  [[nodiscard]] virtual std::vector<EncoderOutput> encode(
      const nn::IndexedRows& embedded, const data::SentenceBatch& source) const = 0;

  /// encode() with its self-attention and the weights of its memory heads; self_attention_heads()
  /// and memory_heads() give the numbers of heads.
  [[nodiscard]] virtual TracedEncoding trace(const nn::IndexedRows& embedded,
                                             const data::SentenceBatch& source) const {
    return {encode(embedded, source), {}};
  }
  /// Names the config settings, below `model`, that prevent interactions: what layers exchange
  /// between positions is something else than an nn::Attention (transformer/attention_sum.h).
  [[nodiscard]] virtual std::vector<std::string> interaction_obstacles() const {
    return {"encoder.type"};
  }
  /// trace() with the interactions of each layer. Requires: no interaction_obstacles().
  [[nodiscard]] virtual TracedEncoding trace_interactions(const nn::IndexedRows& embedded,
                                                          const data::SentenceBatch& source) const {
    return trace(embedded, source);
  }
  /// Numbers of heads per layer of self-attention whose rows and columns are the words in order.
  [[nodiscard]] virtual LayerHeads self_attention_heads() const { return {}; }
  /// Numbers of memory heads in each layer of cells that read the words in order.
  [[nodiscard]] virtual LayerHeads memory_heads() const { return {}; }
  /// True if each self-attention layer reads only the layer below, and the lowest only the words.
  [[nodiscard]] virtual bool is_stack() const { return false; }

  /// True if the encoder expects word vectors without dropout and applies `dropout.embedding`.
  [[nodiscard]] virtual bool drops_embeddings() const { return false; }

  /// Shapes of the memories for the decoder: one, or one for each level.
  [[nodiscard]] virtual std::vector<EncoderShape> shapes() const = 0;

  /// Names the config settings, below `model.encoder`, that prevent the fused form of the encoder
  /// or of its self-attention. Empty if there are none or there is nothing to fuse.
  [[nodiscard]] virtual std::vector<std::string> plain_reasons() const { return {}; }
};

}  // namespace attend::model
