#pragma once
#include <torch/types.h>

#include <cstdint>
#include <memory>
#include <span>

#include "data/batch.h"

namespace attend::decode {

struct Candidates;  // candidates.h

/// What a model says about the next token of every row. The receiver may change the tensors.
struct StepScores {
  torch::Tensor logits;   // [N, V] log-probabilities, but for a constant of each row; after
                          // score_only() [N, W]: column c of a row is the c-th candidate of its
                          // sentence, -infinity where that has fewer
  torch::Tensor weights;  // [N, S] attention; undefined if the model has none, and maybe after
                          // leave_out_attention()
  torch::Tensor heads;    // [N, heads, S], as weights; undefined unless there are several
};

/// Which old row each new row goes on from.
struct RowSelection {
  torch::Tensor parents;  // [N'] int64, on the model's device
  bool same_sentences =
      false;  // N' = N and every row still belongs to the sentence it belonged to, so that whatever
              // depends on the sentence alone can stay where it is
};

/// One batch of sentences being decoded. Rows are hypotheses; they start as one row per sentence.
class StepSession {
 public:
  virtual ~StepSession() = default;

  /// Feeds every row its previous token ([N] int64, kBos first) and moves one target position on.
  [[nodiscard]] virtual StepScores step(const torch::Tensor& tokens) = 0;
  virtual void select(const RowSelection& rows) = 0;
  /// At the next step row n attends to source position columns[n] ([N] int64) alone, or, if that is
  /// negative, as it would. Throws std::logic_error where attention cannot be forced.
  virtual void force_attention(const torch::Tensor& columns);
  /// From the next step on weights and heads may be left out: nobody reads them.
  virtual void leave_out_attention() {}
  /// From the next step on only candidates are scored, of each sentence its own. To be called
  /// before the first step. Throws std::logic_error where that is not possible.
  virtual void score_only(const Candidates& candidates);
};

/// All that search needs of a model: one Seq2Seq, an ensemble, or a table in a test.
class StepModel {
 public:
  virtual ~StepModel() = default;

  /// `sources` holds the same sentences once for each of the sources() vocabularies, each ending in
  /// kEos.
  [[nodiscard]] virtual std::unique_ptr<StepSession> start(
      std::span<const data::SentenceBatch> sources) const = 0;

  /// In how many source vocabularies sentences must be given: the members of an ensemble may
  /// differ.
  [[nodiscard]] virtual std::size_t sources() const { return 1; }
  [[nodiscard]] virtual torch::Device device() const = 0;
};

}  // namespace attend::decode
