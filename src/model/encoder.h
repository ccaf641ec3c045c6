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

/// What an encoder makes of a batch of sentences.
struct EncoderOutput {
  torch::Tensor outputs;  // [B, S, C], zero on padding
  torch::Tensor lengths;  // [B] int64 on the device of `outputs`, real positions
  torch::Tensor mask;     // [B, S] bool, true = real position
  /// The source as a whole, for decoders that begin with it: of each layer [B, C]. Empty: none.
  std::vector<nn::CellState> summary = {};
  /// Of groups of the positions of the output before it: those of each, [B, S, L] int64, the
  /// number of positions there where there are no more; or those of each source. Undefined: none.
  torch::Tensor columns = {};

  /// Of the real positions, [B, C].
  [[nodiscard]] torch::Tensor mean() const {
    return outputs.sum(1) / lengths.unsqueeze(1).to(outputs.scalar_type());
  }
};

/// What can be known of an EncoderOutput before there is one.
struct EncoderShape {
  int64_t size = 0;          // C
  bool has_summary = false;  // whether `summary` has anything
  bool groups = false;       // whether its positions are groups of those of the one before it
  int64_t sources = 1;       // more: its positions are those of so many sources, and the next
                             // memory has what they are as a whole
};

/// An encoding and how its positions looked at one another.
struct TracedEncoding {
  std::vector<EncoderOutput> outputs;
  LayerMaps self;         // [B, heads, S, S]: rows look at columns
  LayerMaps memory = {};  // [B, heads, S, M]: where in a memory heads were after each position
};

/// Reads a source. To add a kind: a class in a folder of its own, a line in registry.cpp, a test.
/// Dropout is active in training mode only.
class Encoder : public torch::nn::Module {
 public:
  /// The source as it is to be read, positions of the batch in another order or several times over.
  [[nodiscard]] virtual data::SentenceBatch arranged(const data::SentenceBatch& source) const {
    return source;
  }

  /// embedded [B, S, E]: a vector for each word of an arranged `source`, on the device of its ids.
  /// One output for each of shapes().
  [[nodiscard]] virtual std::vector<EncoderOutput> encode(
      const nn::IndexedRows& embedded, const data::SentenceBatch& source) const = 0;

  /// encode() with its self-attention and what its heads did in a memory, of which
  /// self_attention_heads() and memory_heads() have the sizes.
  [[nodiscard]] virtual TracedEncoding trace(const nn::IndexedRows& embedded,
                                             const data::SentenceBatch& source) const {
    return {encode(embedded, source), {}};
  }
  /// Of the self-attention whose rows and columns are the words in their order.
  [[nodiscard]] virtual LayerHeads self_attention_heads() const { return {}; }
  /// Of cells with a memory, where they read the words in their order.
  [[nodiscard]] virtual LayerHeads memory_heads() const { return {}; }
  /// Whether each layer of the self-attention reads the one below it alone, and the lowest the
  /// words.
  [[nodiscard]] virtual bool is_stack() const { return false; }

  /// Whether it is given word vectors without dropout (`dropout.embedding`), which it sees to
  /// itself.
  [[nodiscard]] virtual bool drops_embeddings() const { return false; }

  /// Of each memory that a decoder gets: one, or one for each level.
  [[nodiscard]] virtual std::vector<EncoderShape> shapes() const = 0;

  /// The settings because of which it, or its layers' self-attention, is computed plain where
  /// others of its kind have a fused form, as configs name them below `model.encoder`; empty: none,
  /// or there is nothing to fuse.
  [[nodiscard]] virtual std::vector<std::string> plain_reasons() const { return {}; }
};

}  // namespace attend::model
