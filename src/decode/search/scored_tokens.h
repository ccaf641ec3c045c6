#pragma once
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
  /// Column c of a row is the c-th candidate of its sentence.
  explicit ScoredTokens(CandidateLists own) : own_(std::move(own)) {}

  /// Returns the column of tokens[n] in rows[n]. Throws std::logic_error for a token that is not
  /// scored.
  [[nodiscard]] std::vector<text::TokenId> columns_of(std::vector<text::TokenId> tokens,
                                                      std::span<const Row> rows) const;
  /// Replaces the columns in `scores` by their tokens.
  void to_tokens(RowScores& scores, std::span<const Row> rows) const;

 private:
  CandidateLists own_;
};

}  // namespace attend::decode
