#pragma once
#include <torch/types.h>

#include <span>
#include <utility>
#include <vector>

#include "decode/scoring/row_scores.h"
#include "nn/own_columns.h"
#include "text/vocabulary.h"

namespace attend::decode {

struct Row;

/// The ascending candidates of each sentence of a batch, the special symbols first.
using CandidateLists = std::vector<std::vector<text::TokenId>>;

/// The tokens that are scored of a batch of sentences.
struct Candidates {
  torch::Tensor ids;      // [U] int64, ascending, the special symbols first: of all together
  torch::Tensor columns;  // [B, W] int32: where each sentence's own are in `ids`, in their order,
                          // and -1 behind them
};

[[nodiscard]] Candidates join_candidates(const CandidateLists& own);

/// Of logits of `ids` those of each sentence, for rows that are one per sentence.
[[nodiscard]] nn::OwnColumns own_columns(const Candidates& candidates, torch::Device device);

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
