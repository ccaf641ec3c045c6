#pragma once
#include <torch/types.h>

#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "decode/scoring/candidates.h"
#include "decode/scoring/row_scores.h"
#include "decode/search/beams.h"

namespace attend::decode {

/// Maps the columns of logits to tokens, row by row.
class ScoredTokens {
 public:
  ScoredTokens() = default;  ///< column c is token c
  /// Column c of a row is the c-th candidate of its sentence, from a vocabulary of this size.
  ScoredTokens(CandidateLists own, int64_t vocabulary)
      : own_(std::move(own)), vocabulary_(vocabulary) {}

  /// Returns the column of tokens[n] in rows[n]. Throws std::logic_error for a token that is not
  /// scored.
  [[nodiscard]] std::vector<text::TokenId> columns_of(std::vector<text::TokenId> tokens,
                                                      std::span<const Row> rows) const;
  /// Passes the scores of a row of `sentence` to `change` as a row [vocabulary] of all tokens, with
  /// minus infinity for tokens that are not scored. Copies the edited scores back to `row` [W].
  void edit_whole_row(torch::Tensor row, int64_t sentence,
                      const std::function<void(torch::Tensor)>& change) const;
  /// Replaces the columns in `scores` by their tokens.
  void to_tokens(RowScores& scores, std::span<const Row> rows) const;

 private:
  CandidateLists own_;
  int64_t vocabulary_ = 0;  // only with own_
};

}  // namespace attend::decode
