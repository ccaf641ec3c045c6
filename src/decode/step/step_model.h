#pragma once
#include <torch/types.h>

#include <cstdint>
#include <memory>
#include <span>

#include "data/batch.h"

namespace attend::decode {

struct Candidates;  // candidates.h

/// A model's scores for the next token of every row. The receiver may change the tensors.
struct StepScores {
  torch::Tensor logits;   // [N, V] log-probabilities up to a constant per row; after score_only()
                          // [N, W]: column c of a row is the c-th candidate of its sentence,
                          // -infinity if it has fewer
  torch::Tensor weights;  // [N, S] attention; undefined if the model has none, possibly also after
                          // skip_attention()
  torch::Tensor heads;    // [N, heads, S] attention; undefined unless there are several heads
};

/// Selects, for each new row, the old row that it continues.
struct RowSelection {
  torch::Tensor parents;        // [N'] int64, on the model's device
  bool same_sentences = false;  // N' = N and every row keeps its sentence, so that data that depend
                                // on the sentence alone can stay in place
};

/// Decodes one batch of sentences. Rows are hypotheses; at first there is one row per sentence.
class StepSession {
 public:
  virtual ~StepSession() = default;

  /// Feeds every row its previous token ([N] int64, kBos first) and advances by one target
  /// position.
  [[nodiscard]] virtual StepScores step(const torch::Tensor& tokens) = 0;
  virtual void select(const RowSelection& rows) = 0;
  /// Makes row n attend only to source position columns[n] ([N] int64) in the next step; negative:
  /// not forced. Throws std::logic_error if attention cannot be forced.
  virtual void force_attention(const torch::Tensor& columns);
  /// From the next step on, weights and heads may be left out.
  virtual void skip_attention() {}
  /// Restricts scores to the candidates of each sentence. Call before the first step. Throws
  /// std::logic_error if that is not supported.
  virtual void score_only(const Candidates& candidates);
};

/// A model as search sees it: one Seq2Seq, an ensemble, or a table in a test.
class StepModel {
 public:
  virtual ~StepModel() = default;

  /// `sources` holds the same sentences once for each of the sources() vocabularies, all ending in
  /// kEos.
  [[nodiscard]] virtual std::unique_ptr<StepSession> start(
      std::span<const data::SentenceBatch> sources) const = 0;

  /// Number of source vocabularies; the members of an ensemble may differ.
  [[nodiscard]] virtual std::size_t sources() const { return 1; }
  [[nodiscard]] virtual torch::Device device() const = 0;
};

}  // namespace attend::decode
