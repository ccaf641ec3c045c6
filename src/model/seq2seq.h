#pragma once
#include <torch/nn/module.h>
#include <torch/types.h>

#include <memory>
#include <string>
#include <vector>

#include "data/batch.h"
#include "model/decoder.h"
#include "model/encoder.h"
#include "model/options.h"
#include "nn/embedding.h"
#include "nn/loss.h"
#include "nn/own_columns.h"

namespace attend::model {

struct OutputRows;  // output_layer.h

/// A model's prediction of the next word of every row.
struct Predicted {
  torch::Tensor logits;   // [N, V] not normalised; with `scored` only the columns of the scored
                          // words
  torch::Tensor weights;  // [N, S]; undefined without attention, and possibly if the ExecutionScope
                          // requests none
  torch::Tensor heads;    // [N, heads, S], as weights; undefined unless there are several
  DecoderState state;     // for the next position
};

/// All attention of a model for a pair of sentences.
struct TracedPair {
  LayerMaps encoder;  // [B, heads, S, S]
  TracedDecoding decoding;
  LayerMaps encoder_memory = {};        // [B, heads, S, M]
  LayerMaps encoder_interactions = {};  // [B, S, S]; only trace_interactions()
};

/// Embeddings, an Encoder, a Decoder and the output layer. The interface takes whole sequences
/// (encode, decode, loss), so that it can be implemented with fused kernels. Dropout is active in
/// training mode only and draws as nn/drawing.h describes.
class Seq2Seq : public torch::nn::Module {
 public:
  /// Vocabulary sizes include the special symbols. Throws ConfigError for incompatible options.
  Seq2Seq(const ModelOptions& options, int64_t source_vocabulary, int64_t target_vocabulary);
  /// Uses a given encoder, and optionally a given decoder. Only the other settings of `options` are
  /// read.
  Seq2Seq(const ModelOptions& options, int64_t source_vocabulary, int64_t target_vocabulary,
          const std::shared_ptr<Encoder>& encoder);
  Seq2Seq(const ModelOptions& options, int64_t source_vocabulary, int64_t target_vocabulary,
          std::shared_ptr<Encoder> encoder, std::shared_ptr<Decoder> decoder);
  ~Seq2Seq() override;

  [[nodiscard]] Encoded encode(const data::SentenceBatch& source) const;
  /// Vectors of the source words, [B, S, E].
  [[nodiscard]] torch::Tensor embed_source(const data::SentenceBatch& source) const;
  /// encode() with the vectors embedded [B, S, E], one per position of `source`, instead of its
  /// word vectors, so that results can be differentiated by position. A position that is read
  /// several times (`repeat_source`) has one vector. No dropout is applied to the vectors.
  [[nodiscard]] Encoded encode_embedded(const data::SentenceBatch& source,
                                        const torch::Tensor& embedded) const;
  /// target_input holds the word before each predicted one, kBos first.
  [[nodiscard]] Decoded decode(const Encoded& encoded,
                               const data::SentenceBatch& target_input) const;
  /// encode() and decode() with the attention of every layer and head; attention_heads() gives the
  /// numbers of heads. Throws std::logic_error in training mode.
  [[nodiscard]] TracedPair trace(const data::SentenceBatch& source,
                                 const data::SentenceBatch& target_input) const;
  /// trace() with the interactions of each layer (transformer/attention_sum.h). Throws
  /// std::logic_error in training mode, and if there are interaction_obstacles().
  [[nodiscard]] TracedPair trace_interactions(const data::SentenceBatch& source,
                                              const data::SentenceBatch& target_input) const;
  /// outputs [..., D] -> scores [..., V], not normalised.
  [[nodiscard]] torch::Tensor logits(const torch::Tensor& outputs) const;

  /// Cross-entropy of logits(outputs) for outputs [N, D] against targets [N] int64; see
  /// nn::cross_entropy(). With fused kernels, it never stores all logits at once.
  [[nodiscard]] nn::CrossEntropy loss(const torch::Tensor& outputs, const torch::Tensor& targets,
                                      const nn::LossOptions& options) const;

  /// Output weights restricted to the candidates `ids` [U] int64, for the current ExecutionScope.
  /// `own` selects each row's candidates.
  [[nodiscard]] OutputRows output_rows(const torch::Tensor& ids, nn::OwnColumns own) const;

  /// tokens [N] int64: the previous word of each row (kBos first). Rows of `memories` and `state`
  /// correspond. `scored` has the words to score; null means all.
  [[nodiscard]] Predicted step(const torch::Tensor& tokens, const Memories& memories,
                               const DecoderState& state, const OutputRows* scored = nullptr) const;
  /// True if step() attends to the source with fused kernels in the current ExecutionScope. It then
  /// reads memories with_owners() directly; otherwise it first copies them per reader.
  [[nodiscard]] bool steps_are_fused() const;

  /// As in Decoder.
  [[nodiscard]] bool attends() const;
  [[nodiscard]] AttentionHeads attention_heads() const;
  [[nodiscard]] std::size_t shown_layer() const;
  [[nodiscard]] bool has_contributions() const;
  /// Those of encoder and decoder.
  [[nodiscard]] std::vector<std::string> interaction_obstacles() const;
  [[nodiscard]] bool is_pointwise() const;

  /// For the log: the parts that are computed step by step because they have no fused form, with
  /// the settings that prevent it. Empty if there are none.
  [[nodiscard]] std::vector<std::string> plain_parts() const;

  [[nodiscard]] const ModelOptions& options() const;
  [[nodiscard]] int64_t source_vocabulary() const;
  [[nodiscard]] int64_t target_vocabulary() const;
  [[nodiscard]] torch::Device device() const;

 private:
  void add_embeddings();
  void add_output_layer();
  /// Dropout on word vectors in training.
  struct EmbeddingDropout {
    double words = 0.0;      // probability of dropping a whole word
    bool by_reader = false;  // true if the encoder or decoder applies `dropout.embedding` itself
  };
  [[nodiscard]] nn::IndexedRows embed_arranged(const data::SentenceBatch& arranged) const;
  [[nodiscard]] nn::IndexedRows embed_target(const data::SentenceBatch& target_input) const;
  [[nodiscard]] nn::IndexedRows embed(const nn::Embedding& embedding, const torch::Tensor& words,
                                      const EmbeddingDropout& dropout) const;
  /// Embeds all words. Each distinct word is embedded once if kernels may be used and its
  /// occurrences need no separate dropout masks.
  [[nodiscard]] nn::IndexedRows embed_all(const nn::Embedding& embedding,
                                          const torch::Tensor& words,
                                          const EmbeddingDropout& dropout) const;
  [[nodiscard]] bool drops_embeddings(const EmbeddingDropout& dropout) const;
  /// Applies `dropout.embedding` to the vectors of `words`, if it is on.
  [[nodiscard]] nn::IndexedRows drop_embeddings(const nn::IndexedRows& vectors,
                                                const torch::Tensor& words,
                                                const EmbeddingDropout& dropout) const;
  [[nodiscard]] Encoded encode_arranged(const data::SentenceBatch& arranged,
                                        const nn::IndexedRows& embedded) const;

  struct Parts;
  std::unique_ptr<Parts> parts_;
};

/// Initialises all parameters, on the CPU, from the streams "initialisation/<block>" of `seed`.
void initialize(Seq2Seq& model, uint64_t seed);

}  // namespace attend::model
