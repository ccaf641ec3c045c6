#pragma once
#include <torch/types.h>

#include <cstdint>
#include <span>
#include <vector>

#include "text/vocabulary.h"

namespace attend::decode {

/// What a step says of each row, brought to the CPU: a few candidate tokens, and one token that was
/// asked for.
struct RowScores {
  int64_t width = 0;                  ///< candidates per row
  std::vector<text::TokenId> tokens;  ///< [N * width], row after row
  std::vector<double> log_probs;      ///< [N * width]; -infinity: no candidate
  std::vector<text::TokenId> best;    ///< [N] most probable token that may be put out
  std::vector<double> wanted;         ///< [N] log-probability of the row's wanted token
};

/// Cells for `width` candidates of each of `rows` rows, none of them filled.
[[nodiscard]] RowScores no_candidates(int64_t rows, int64_t width);

/// log sum_v exp(logits[i, v]) of each row of [N, V]: what logits have above log-probabilities.
[[nodiscard]] std::vector<double> log_sums(const torch::Tensor& logits);

/// Gives kPad and kBos, and kUnk unless `allow_unknown`, the score -infinity in logits [N, V], in
/// place.
void forbid_special_symbols(torch::Tensor& logits, bool allow_unknown);

/// Gives logits[rows[i], tokens[i]] of [N, V] the score -infinity, in place. Requires: rows and
/// tokens of it, as many of the one as of the other, and at least one.
void forbid_tokens(torch::Tensor& logits, std::span<const int64_t> rows,
                   std::span<const text::TokenId> tokens);

/// logits[i, tokens[i]] for each row i of [N, V]. Throws std::logic_error for a token outside the
/// vocabulary.
[[nodiscard]] std::vector<double> logits_of(const torch::Tensor& logits,
                                            std::span<const text::TokenId> tokens);

/// The `width` most probable tokens of each row of [N, V], best first (of equal ones the lower id
/// first on the CPU up to a width of 64, any of them otherwise; at most V). `wanted` is left empty;
/// `log_probs` holds logits, for normalize().
[[nodiscard]] RowScores most_probable(const torch::Tensor& logits, int64_t width);

/// Turns the logits in `scores`, `wanted` included, into log-probabilities in nats, by the
/// log_sums() of their rows. Requires: one wanted logit and one sum per row.
void normalize(RowScores& scores, std::span<const double> log_sums);

}  // namespace attend::decode
