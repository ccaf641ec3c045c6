#pragma once
#include <span>
#include <utility>
#include <vector>

#include "decode/scoring/candidates.h"
#include "decode/scoring/row_scores.h"
#include "decode/search/beams.h"

namespace attend::decode {

/// Which tokens the columns of logits stand for, row by row.
class ScoredTokens {
 public:
  ScoredTokens() = default;  ///< each column for the token of its number
  /// Column c of a row for the c-th candidate of its sentence.
  explicit ScoredTokens(CandidateLists own) : own_(std::move(own)) {}

  /// The columns of tokens[n] of rows[n]. Throws std::logic_error for one that is not scored.
  [[nodiscard]] std::vector<text::TokenId> columns_of(std::vector<text::TokenId> tokens,
                                                      std::span<const Row> rows) const;
  /// Puts tokens in the place of columns.
  void name(RowScores& scores, std::span<const Row> rows) const;

 private:
  CandidateLists own_;
};

}  // namespace attend::decode
