#pragma once
#include <torch/types.h>

#include <span>
#include <vector>

#include "decode/row_scores.h"
#include "text/vocabulary.h"

namespace attend::decode {

struct RowSelection;

/// The tokens that are scored of a batch of sentences.
struct Candidates {
  torch::Tensor ids;      // [U] int64, ascending, the special symbols first: of all together
  torch::Tensor allowed;  // [B, U] bool: which of them are each sentence's own
};

/// `own` holds the ascending candidates of each sentence.
[[nodiscard]] Candidates join_candidates(const std::vector<std::vector<text::TokenId>>& own);

/// Keeps rows of a batch to the candidates of their own sentences, so that it does not matter to
/// one which others are translated with it.
class CandidateMask {
 public:
  CandidateMask() = default;  ///< everything is allowed
  /// Of rows that are one per sentence. `like`: of the type and on the device of the logits.
  CandidateMask(const torch::Tensor& allowed, const torch::TensorOptions& like);

  void select(const RowSelection& rows);
  /// Gives what is not a row's own the score -infinity in logits [N, U], in place.
  void apply(torch::Tensor& logits) const;

 private:
  torch::Tensor excess_;     // [B, U] 0 or -infinity; undefined: everything is allowed
  torch::Tensor sentences_;  // [N] int64
  torch::Tensor by_row_;     // [N, U] the rows of excess_
};

/// Which tokens the columns of logits stand for.
class ScoredTokens {
 public:
  ScoredTokens() = default;  ///< each column for the token of its number
  explicit ScoredTokens(const torch::Tensor& ids);

  /// The columns of tokens that are scored.
  [[nodiscard]] std::vector<text::TokenId> columns_of(std::vector<text::TokenId> tokens) const;
  /// Puts tokens in the place of columns.
  void name(RowScores& scores) const;

 private:
  std::vector<text::TokenId> ids_;
};

}  // namespace attend::decode
