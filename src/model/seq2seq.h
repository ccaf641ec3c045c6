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

/// What a model says about the next word of every row.
struct Predicted {
  torch::Tensor logits;   // [N, V] not normalised; [N, U] of the words that alone are scored
  torch::Tensor weights;  // [N, S]; undefined without attention, and maybe where the ExecutionScope
                          // wants none
  torch::Tensor heads;    // [N, heads, S], as weights; undefined unless there are several
  DecoderState state;     // for the next position
};

/// A pair of sentences with all the attention that the model has for it.
struct TracedPair {
  LayerMaps encoder;  // [B, heads, S, S]
  TracedDecoding decoding;
  LayerMaps encoder_memory = {};  // [B, heads, S, M]
};

/// Embeddings, an Encoder, a Decoder and the output layer: what training and decoding hold. The
/// boundaries are whole sequences (encode, decode, loss), so that a fused implementation can stand
/// behind the same functions. Dropout is active in training mode only and draws as
/// nn/drawing.h says.
class Seq2Seq : public torch::nn::Module {
 public:
  /// Vocabulary sizes include the special symbols. Throws ConfigError for options that do not fit
  /// together.
  Seq2Seq(const ModelOptions& options, int64_t source_vocabulary, int64_t target_vocabulary);
  /// With an encoder that is made already, and with a decoder too: of `options` the rest is read.
  Seq2Seq(const ModelOptions& options, int64_t source_vocabulary, int64_t target_vocabulary,
          const std::shared_ptr<Encoder>& encoder);
  Seq2Seq(const ModelOptions& options, int64_t source_vocabulary, int64_t target_vocabulary,
          std::shared_ptr<Encoder> encoder, std::shared_ptr<Decoder> decoder);
  ~Seq2Seq() override;

  [[nodiscard]] Encoded encode(const data::SentenceBatch& source) const;
  /// The vectors of the source words, [B, S, E].
  [[nodiscard]] torch::Tensor embed_source(const data::SentenceBatch& source) const;
  /// encode() with these vectors [B, S, E], one per position of `source`, in place of its words'
  /// own, so that results can be differentiated by position. A position that is read several times
  /// (`repeat_source`) has one vector. No dropout on them.
  [[nodiscard]] Encoded encode_embedded(const data::SentenceBatch& source,
                                        const torch::Tensor& embedded) const;
  /// target_input: kBos, then the words before each one to be predicted.
  [[nodiscard]] Decoded decode(const Encoded& encoded,
                               const data::SentenceBatch& target_input) const;
  /// encode() and decode() with the attention of every layer and head, of which attention_heads()
  /// has the sizes. Throws std::logic_error in training mode.
  [[nodiscard]] TracedPair trace(const data::SentenceBatch& source,
                                 const data::SentenceBatch& target_input) const;
  /// outputs [..., D] -> scores [..., V], not normalised.
  [[nodiscard]] torch::Tensor logits(const torch::Tensor& outputs) const;

  /// Cross-entropy of logits(outputs) for outputs [N, D] against targets [N] int64; see
  /// nn::cross_entropy(). Does not need the memory of all logits where the kernels
  /// for it are in use.
  [[nodiscard]] nn::CrossEntropy loss(const torch::Tensor& outputs, const torch::Tensor& targets,
                                      const nn::LossOptions& options) const;

  /// What scores the words `ids` [U] int64 alone, of them each row its own, in the present
  /// ExecutionScope.
  [[nodiscard]] OutputRows output_rows(const torch::Tensor& ids, nn::OwnColumns own) const;

  /// tokens [N] int64: the previous word of each row (kBos first). Rows of `memories` and `state`
  /// correspond. `scored`: the words that get a score; null: all.
  [[nodiscard]] Predicted step(const torch::Tensor& tokens, const Memories& memories,
                               const DecoderState& state, const OutputRows* scored = nullptr) const;
  /// Whether step() looks at the source by fused kernels in the present ExecutionScope. It then
  /// reads memories that are shared() as they are, and else must spread them first.
  [[nodiscard]] bool steps_are_fused() const;

  /// As the decoder says.
  [[nodiscard]] bool attends() const;
  [[nodiscard]] AttentionHeads attention_heads() const;
  [[nodiscard]] std::size_t shown_layer() const;
  [[nodiscard]] bool is_pointwise() const;

  /// What of the model has no fused form and is computed step by step, with the settings that are
  /// the reason, for the log; empty: nothing.
  [[nodiscard]] std::vector<std::string> plain_parts() const;

  [[nodiscard]] const ModelOptions& options() const;
  [[nodiscard]] int64_t source_vocabulary() const;
  [[nodiscard]] int64_t target_vocabulary() const;
  [[nodiscard]] torch::Device device() const;

 private:
  void add_embeddings();
  void add_output_layer();
  /// What is left out of the vectors of words in training.
  struct EmbeddingDropout {
    double words = 0.0;      // share of whole words
    bool by_reader = false;  // whether who reads them sees to the rest
  };
  [[nodiscard]] nn::IndexedRows embed_arranged(const data::SentenceBatch& arranged) const;
  [[nodiscard]] nn::IndexedRows embed_target(const data::SentenceBatch& target_input) const;
  [[nodiscard]] nn::IndexedRows embed(const nn::Embedding& embedding, const torch::Tensor& words,
                                      const EmbeddingDropout& dropout) const;
  /// The same of all words. Each distinct one once where kernels may be used and no two occurrences
  /// have dropout masks of their own.
  [[nodiscard]] nn::IndexedRows embed_all(const nn::Embedding& embedding,
                                          const torch::Tensor& words,
                                          const EmbeddingDropout& dropout) const;
  [[nodiscard]] bool drops_embeddings(const EmbeddingDropout& dropout) const;
  /// `dropout.embedding` on the vectors of `words`, if it is on.
  [[nodiscard]] nn::IndexedRows drop_embeddings(const nn::IndexedRows& vectors,
                                                const torch::Tensor& words,
                                                const EmbeddingDropout& dropout) const;
  [[nodiscard]] Encoded encode_arranged(const data::SentenceBatch& arranged,
                                        const nn::IndexedRows& embedded) const;

  struct Parts;
  std::unique_ptr<Parts> parts_;
};

/// Fills all parameters from the streams "initialisation/<block>" of `seed`. Requires: the model is
/// on the CPU.
void initialize(Seq2Seq& model, uint64_t seed);

}  // namespace attend::model
