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

/// A whole target sequence under teacher forcing. What lies beyond the end of a sentence means
/// nothing.
struct Decoded {
  torch::Tensor outputs;  // [B, T, D] pre-output states
  torch::Tensor weights;  // [B, T, S] attention, mean over heads; undefined without attention, and
                          // maybe where the ExecutionScope wants none
  torch::Tensor heads;    // [B, heads, T, S], as weights; undefined unless there are several
  nn::Choice choice;      // [B, T] each; undefined unless positions were drawn
};

/// A whole sequence with all of its attention.
struct TracedDecoding {
  Decoded decoded;
  LayerMaps self;         // [B, heads, T, T]: row t predicts word t, column t is the word before it
  LayerMaps cross;        // [B, heads, T, S]
  LayerMaps memory = {};  // [B, heads, T, M]: where in a memory heads were after each step
};

/// One target position.
struct DecodedStep {
  torch::Tensor output;   // [N, D] pre-output state
  torch::Tensor weights;  // [N, S], as Decoded::weights
  torch::Tensor heads;    // [N, heads, S], as weights; undefined unless there are several
  DecoderState state;     // for the next position
};

/// Writes a target: whole sequences and single positions with the same parameters. To add a kind: a
/// class in a folder of its own, a line in registry.cpp, a test. It is no module itself, but made
/// of some; dropout is active while these are training.
class Decoder {
 public:
  using NamedModule = std::pair<std::string, std::shared_ptr<torch::nn::Module>>;

  virtual ~Decoder() = default;
  /// What holds its parameters, by the names that these begin with in weights files.
  [[nodiscard]] virtual std::vector<NamedModule> modules() const = 0;
  /// D, the size of pre-output states.
  [[nodiscard]] virtual int64_t output_size() const = 0;

  /// One of `sources` for each of the shapes that it was made for.
  [[nodiscard]] virtual Encoded start(const std::vector<EncoderOutput>& sources) const = 0;
  /// The whole sequence: embedded [B, T, E] holds the word before each one to be predicted, of
  /// which lengths [B] int64 (on the CPU) are real.
  [[nodiscard]] virtual Decoded decode(const nn::IndexedRows& embedded,
                                       const torch::Tensor& lengths,
                                       const Encoded& encoded) const = 0;
  /// decode() with the attention of every layer. Requires: not training, where layers may be left
  /// out.
  [[nodiscard]] virtual TracedDecoding trace(const nn::IndexedRows& embedded,
                                             const torch::Tensor& lengths,
                                             const Encoded& encoded) const;
  /// tokens [N] int64: the previous word of each row, a vector of `embedding`. Rows of `memories`
  /// and `state` correspond.
  [[nodiscard]] virtual DecodedStep step(const torch::Tensor& tokens,
                                         const nn::Embedding& embedding, const Memories& memories,
                                         const DecoderState& state) const = 0;

  /// Whether it is given word vectors without dropout (`dropout.embedding`), which it sees to
  /// itself.
  [[nodiscard]] virtual bool drops_embeddings() const { return false; }

  /// Whether it looks at the source by attention, and so gives weights.
  [[nodiscard]] virtual bool attends() const = 0;
  /// The heads of the attention to the source in each layer.
  [[nodiscard]] virtual LayerHeads cross_attention_heads() const = 0;
  [[nodiscard]] virtual LayerHeads self_attention_heads() const { return {}; }
  /// Of cells with a memory.
  [[nodiscard]] virtual LayerHeads memory_heads() const { return {}; }
  /// The layer (from 0) whose attention steps and decode() show. Requires: attends().
  [[nodiscard]] virtual std::size_t shown_layer() const { return 0; }
  /// Whether a step looks at a source position in the same way if the memories hold nothing else:
  /// neither place nor neighbours nor history matter.
  [[nodiscard]] virtual bool is_pointwise() const { return false; }
  /// The settings because of which step() and decode() do not run as fused kernels, as configs name
  /// them below `model.decoder` or `model`; empty: they do, where nn::is_fusible().
  [[nodiscard]] virtual std::vector<std::string> plain_reasons() const = 0;
  /// Whether step() looks at the source by fused kernels, where nn::is_fusible(): it then reads
  /// memories that are shared() as they are.
  [[nodiscard]] virtual bool looks_fused() const { return plain_reasons().empty(); }

 protected:
  /// What trace() says of a decoder with one layer of attention to the source, or none.
  [[nodiscard]] static TracedDecoding with_attention(Decoded decoded);
};

}  // namespace attend::model
