#pragma once
#include <torch/types.h>

#include <cstdint>
#include <span>
#include <vector>

#include "text/vocabulary.h"

namespace attend::decode {

/// A token and its log-probability.
struct TokenScore {
  text::TokenId token = text::kUnk;
  double log_prob = 0.0;
};

/// The scores of a step on the CPU: for each row, a few candidate tokens and one token whose score
/// is needed in any case, the wanted token.
struct RowScores {
  int64_t width = 0;                  ///< candidates per row
  std::vector<text::TokenId> tokens;  ///< [N * width], row by row
  std::vector<double> log_probs;      ///< [N * width]; -infinity: no candidate
  std::vector<text::TokenId> best;    ///< [N] the most probable allowed token
  std::vector<double> wanted;         ///< [N] log-probability of the row's wanted token
  std::vector<std::vector<TokenScore>> extra = {};  ///< [N] further tokens; empty: none in any row
};

/// Returns empty cells for `width` candidates in each of `rows` rows.
[[nodiscard]] RowScores no_candidates(int64_t rows, int64_t width);

/// log sum_v exp(logits[i, v]) of each row of [N, V]: the difference between logits and
/// log-probabilities.
[[nodiscard]] std::vector<double> log_sums(const torch::Tensor& logits);

/// Sets the logits [N, V] of kPad and kBos, and of kUnk unless `allow_unknown`, to -infinity, in
/// place.
void forbid_special_symbols(torch::Tensor& logits, bool allow_unknown);

/// Sets logits[rows[i], tokens[i]] of [N, V] to -infinity, in place. Requires: `rows` and `tokens`
/// are valid, of equal size and not empty.
void forbid_tokens(torch::Tensor& logits, std::span<const int64_t> rows,
                   std::span<const text::TokenId> tokens);

/// Throws std::logic_error if a column is outside logits [N, V].
void check_columns(const torch::Tensor& logits, std::span<const text::TokenId> columns);

/// Returns logits[rows[i], columns[i]] of [N, V]. Requires: `rows` and `columns` are valid, of
/// equal size and not empty.
[[nodiscard]] std::vector<double> values_at(const torch::Tensor& logits,
                                            std::span<const int64_t> rows,
                                            std::span<const text::TokenId> columns);

/// Returns logits[i, tokens[i]] for each row i of [N, V]. Throws std::logic_error for a token
/// outside the vocabulary.
[[nodiscard]] std::vector<double> logits_of(const torch::Tensor& logits,
                                            std::span<const text::TokenId> tokens);

/// Returns the `width` most probable tokens of each row of [N, V] (at most V), best first. Ties:
/// the lower id first on the CPU up to a width of 64, otherwise in any order. `wanted` stays empty;
/// `log_probs` holds logits, for normalize().
[[nodiscard]] RowScores most_probable(const torch::Tensor& logits, int64_t width);

/// Turns the logits in `scores`, `wanted` and `extra` included, into log-probabilities (nats) with
/// the log_sums() of the rows. Requires: one wanted logit and one sum per row.
void normalize(RowScores& scores, std::span<const double> log_sums);

}  // namespace attend::decode
