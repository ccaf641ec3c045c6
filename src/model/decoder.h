#pragma once
#include <torch/nn/module.h>
#include <torch/types.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "model/encoded.h"
#include "model/encoder.h"
#include "nn/attention/distribution/distribution.h"
#include "nn/embedding.h"

namespace attend::model {

/// Result of teacher forcing on whole target sequences; meaningless beyond a sentence's end.
struct Decoded {
  torch::Tensor outputs;  // [B, T, D] pre-output states
  torch::Tensor weights;  // [B, T, S] attention, mean over heads; undefined without attention, and
                          // possibly without Execution::shown_weights
  torch::Tensor heads;    // [B, heads, T, S], as weights; undefined unless there are several
  nn::DrawnPositions drawn;  // [B, T] each; undefined unless positions were drawn
};

/// Result for a whole target sequence, with the attention of every layer.
struct TracedDecoding {
  Decoded decoded;
  LayerMaps self;         // [B, heads, T, T]: row t predicts word t, column t is the previous word
  LayerMaps cross;        // [B, heads, T, S]
  LayerMaps memory = {};  // [B, heads, T, M]: weights of memory heads after each step
  LayerMaps contributions = {};  // [B, 1 + heads, T, S]: nn::Attention::contributions() of `cross`;
                                 // empty unless has_contributions()
  // Filled only by trace_interactions(); row t belongs to word t.
  LayerMaps self_interactions = {};   // [B, T, T]
  LayerMaps cross_interactions = {};  // [B, T, 1 + S]: the residual connection, then the source
};

/// One target position.
struct DecodedStep {
  torch::Tensor output;   // [N, D] pre-output state
  torch::Tensor weights;  // [N, S], as Decoded::weights
  torch::Tensor heads;    // [N, heads, S], as weights; undefined unless there are several
  DecoderState state;     // for the next position
};

/// Decodes a target, as a whole sequence or one position at a time, with the same parameters.
/// Dropout is active while its modules are training. A decoder is not a module itself but owns
/// modules. To add a kind, add a class and its options in a folder of its own, its options in
/// families.h, and a test.
class Decoder {
 public:
  using NamedModule = std::pair<std::string, std::shared_ptr<torch::nn::Module>>;

  virtual ~Decoder() = default;
  /// The modules with the decoder's parameters, each with the prefix of their names in weights
  /// files.
  [[nodiscard]] virtual std::vector<NamedModule> modules() const = 0;
  /// D, the size of pre-output states.
  [[nodiscard]] virtual int64_t output_size() const = 0;

  /// `sources` has one output for each shape given to the constructor.
  [[nodiscard]] virtual Encoded start(const std::vector<EncoderOutput>& sources) const = 0;
  /// Decodes the whole sequence. embedded [B, T, E] holds the word before each predicted one;
  /// lengths [B] int64 (on the CPU) count the real words.
  [[nodiscard]] virtual Decoded decode(const nn::IndexedRows& embedded,
                                       const torch::Tensor& lengths,
                                       const Encoded& encoded) const = 0;
  /// decode() with the attention of every layer. Requires: evaluation mode, which drops no layers.
  [[nodiscard]] virtual TracedDecoding trace(const nn::IndexedRows& embedded,
                                             const torch::Tensor& lengths,
                                             const Encoded& encoded) const;
  /// trace() with the interactions of each layer. Requires: no interaction_obstacles().
  [[nodiscard]] virtual TracedDecoding trace_interactions(const nn::IndexedRows& embedded,
                                                          const torch::Tensor& lengths,
                                                          const Encoded& encoded) const {
    return trace(embedded, lengths, encoded);
  }
  /// tokens [N] int64: the previous word of each row, an index into `embedding`. Rows of `memories`
  /// and `state` correspond.
  [[nodiscard]] virtual DecodedStep step(const torch::Tensor& tokens,
                                         const nn::Embedding& embedding, const Memories& memories,
                                         const DecoderState& state) const = 0;

  /// True if the decoder expects word vectors without dropout and applies `dropout.embedding`.
  [[nodiscard]] virtual bool drops_embeddings() const { return false; }

  /// True if the decoder attends to the source and returns weights.
  [[nodiscard]] virtual bool attends() const = 0;
  /// Number of heads of the attention to the source in each layer.
  [[nodiscard]] virtual LayerHeads cross_attention_heads() const = 0;
  [[nodiscard]] virtual LayerHeads self_attention_heads() const { return {}; }
  /// Number of memory heads in each layer; empty unless cells have a memory.
  [[nodiscard]] virtual LayerHeads memory_heads() const { return {}; }
  /// The layer (from 0) whose attention step() and decode() return. Requires: attends().
  [[nodiscard]] virtual std::size_t shown_layer() const { return 0; }
  /// True if trace() returns contributions.
  [[nodiscard]] virtual bool has_contributions() const { return false; }
  /// As in Encoder.
  [[nodiscard]] virtual std::vector<std::string> interaction_obstacles() const {
    return {"decoder.type"};
  }
  /// True if the attention to a source position would be the same in a memory of that position
  /// alone, independent of its index, its neighbours and earlier attention.
  [[nodiscard]] virtual bool is_pointwise() const { return false; }
  /// Names the config settings, below `model.decoder` or `model`, that prevent fused kernels in
  /// step() and decode(). If there are none, both are fused for tensors that are nn::is_fusible(),
  /// or nn::runs_in_loop() if decodes_in_loop().
  [[nodiscard]] virtual std::vector<std::string> plain_reasons() const = 0;
  /// True if step() attends to the source with fused kernels for tensors that are nn::is_fusible().
  /// It then reads memories with_owners() without copying them per reader.
  [[nodiscard]] virtual bool has_fused_attention() const { return plain_reasons().empty(); }
  /// True if step() and decode() are loops (nn/fused/loop.h) unless there are plain_reasons().
  [[nodiscard]] virtual bool decodes_in_loop() const { return false; }

 protected:
  /// trace() of a decoder with at most one layer of attention to the source.
  [[nodiscard]] static TracedDecoding with_attention(Decoded decoded);
};

}  // namespace attend::model
