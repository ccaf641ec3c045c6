#pragma once
#include <torch/types.h>

#include <cstdint>
#include <span>
#include <vector>

#include "core/random.h"
#include "decode/options.h"
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

/// Gives kPad and kBos, and kUnk unless `allow_unknown`, the log-probability -infinity in log_probs
/// [N, V], in place.
void forbid_special_symbols(torch::Tensor& log_probs, bool allow_unknown);

/// log_probs[i, tokens[i]] for each row i of [N, V]. Throws std::logic_error for a token outside
/// the vocabulary.
[[nodiscard]] std::vector<double> log_probs_of(const torch::Tensor& log_probs,
                                               std::span<const text::TokenId> tokens);

/// The `width` most probable tokens of each row of [N, V], best first (of equal ones the lower id
/// first; at most V). `wanted` is left empty.
[[nodiscard]] RowScores most_probable(const torch::Tensor& log_probs, int64_t width);

/// How often to draw from a row, and with which generator.
struct Draws {
  int64_t count = 0;
  Random* random = nullptr;
};

/// Draws tokens for each row of [N, V] from softmax(log_probs / temperature), cut to top-k and then
/// top-p (Holtzman et al. 2020, arXiv 1904.09751). The log-probabilities returned are the model's
/// own. `wanted` is left empty.
[[nodiscard]] RowScores draw(const torch::Tensor& log_probs, std::span<const Draws> draws,
                             const SamplingOptions& options);

}  // namespace attend::decode
