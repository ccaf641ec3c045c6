#pragma once
#include <torch/types.h>

#include <numeric>
#include <span>
#include <vector>

#include "data/batch.h"
#include "model/seq2seq.h"

namespace attend::decode {

/// A model's scores for a given translation.
struct ForcedDecoding {
  std::vector<double> token_log_probs;  ///< nats, one per token and one for kEos
  int64_t right_tokens = 0;             ///< tokens, kEos included, to which the model gave the
                                        ///< highest probability
  torch::Tensor attention;  ///< [T + 1, S] float on the CPU, as in Hypothesis; or undefined
  torch::Tensor heads;      ///< [heads, T + 1, S]; undefined unless there are several heads

  /// ln p(target | source), kEos included.
  [[nodiscard]] double log_prob() const {
    return std::accumulate(token_log_probs.begin(), token_log_probs.end(), 0.0);
  }
};

/// Teacher forcing: computes the log-probability of each token of each target (without kBos and
/// kEos; may be empty) and, if `keep_attention`, the attention. Results are in the order of the
/// batch. Throws std::logic_error if `model` is in training mode or the sizes differ, NumericError
/// if the model's output is not finite.
[[nodiscard]] std::vector<ForcedDecoding> force_decode(
    const model::Seq2Seq& model, const data::SentenceBatch& source,
    std::span<const std::vector<text::TokenId>> targets, bool keep_attention);

}  // namespace attend::decode
