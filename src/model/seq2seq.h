#pragma once
#include <torch/nn/module.h>
#include <torch/types.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "data/batch.h"
#include "model/options.h"
#include "model/recurrent/decoder_state.h"
#include "model/recurrent/wiring.h"
#include "nn/attention/attention.h"
#include "nn/embedding.h"
#include "nn/loss.h"

namespace attend::model {

/// What the encoder hands to the decoder: the memory with whatever the attention computes once per
/// sentence, and the decoder's first state. A value; rows can be selected, so that beam search
/// keeps only sentences still alive.
struct Encoded {
  nn::PreparedMemory memory;  // rows = sentences (or hypotheses)
  DecoderState start;         // the same rows

  /// Row i of the result is row rows[i] ([N] int64) of this one.
  [[nodiscard]] Encoded select(const torch::Tensor& rows) const;
};

/// One decoding step.
struct Step {
  torch::Tensor logits;   // [N, V] not normalised
  torch::Tensor weights;  // [N, S]; undefined for the wiring `none`
  torch::Tensor heads;    // [N, heads, S]; undefined unless there are several
  DecoderState state;
};

/// Encoder, bridge, decoder and output layer. The boundaries are whole sequences (encode, decode,
/// loss), so that a fused implementation can stand behind the same functions. Dropout is active in
/// training mode only and draws from LibTorch's default generator.
class Seq2Seq : public torch::nn::Module {
 public:
  /// Vocabulary sizes include the special symbols. Throws ConfigError for options that do not fit
  /// together.
  Seq2Seq(const ModelOptions& options, int64_t source_vocabulary, int64_t target_vocabulary);
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
  /// outputs [..., D] -> scores [..., V], not normalised.
  [[nodiscard]] torch::Tensor logits(const torch::Tensor& outputs) const;

  /// Cross-entropy of logits(outputs) for outputs [N, D] against targets [N] int64, with label
  /// smoothing; see nn::cross_entropy(). Does not need the memory of all logits where the kernels
  /// for it are in use.
  [[nodiscard]] nn::CrossEntropy loss(const torch::Tensor& outputs, const torch::Tensor& targets,
                                      double smoothing) const;

  /// tokens [N] int64: the previous word of each row (kBos first). Rows of `memory` and `state`
  /// correspond.
  [[nodiscard]] Step step(const torch::Tensor& tokens, const nn::PreparedMemory& memory,
                          const DecoderState& state) const;
  /// Whether step() runs as fused kernels in the present ExecutionScope. It then reads a memory
  /// that is PreparedMemory::shared() as it is, and else must spread it first.
  [[nodiscard]] bool steps_are_fused() const;

  /// What of the model has no fused form and is computed step by step, with the reason, for the
  /// log; empty: nothing.
  [[nodiscard]] std::vector<std::string> plain_parts() const;

  [[nodiscard]] const ModelOptions& options() const;
  [[nodiscard]] int64_t source_vocabulary() const;
  [[nodiscard]] int64_t target_vocabulary() const;
  [[nodiscard]] torch::Device device() const;

 private:
  void add_embeddings();
  void add_output_layer();
  [[nodiscard]] torch::Tensor project_words(const torch::Tensor& tokens,
                                            const torch::Tensor& embedded) const;
  /// The vectors of words, with dropout. Without any, each distinct one once where kernels may be
  /// used.
  [[nodiscard]] nn::IndexedRows embed(const nn::Embedding& embedding,
                                      const torch::Tensor& words) const;
  [[nodiscard]] Encoded encode_arranged(const data::SentenceBatch& arranged,
                                        const nn::IndexedRows& embedded) const;

  struct Parts;
  std::unique_ptr<Parts> parts_;
};

/// Fills all parameters from the streams "initialisation/<block>" of `seed`. Requires: the model is
/// on the CPU.
void initialize(Seq2Seq& model, uint64_t seed);

}  // namespace attend::model
