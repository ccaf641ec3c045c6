#pragma once
#include <map>
#include <span>
#include <vector>

#include "model/seq2seq.h"

namespace attend::decode {

/// A candidate token for a position.
struct Alternative {
  text::TokenId token = text::kEos;
  double probability = 0.0;
};

/// A model's prediction at one position of a given translation.
struct Expectation {
  double log_prob = 0.0;          ///< nats, of the given token
  double entropy = 0.0;           ///< nats, of the distribution over the vocabulary
  std::vector<Alternative> best;  ///< the most probable tokens, best first
};

/// For each target (without kBos and kEos) returns one Expectation per token and one for kEos, each
/// with the `count` most probable tokens (all tokens if the vocabulary has fewer).
/// `forced_attention` applies to every target; see SearchSentence. To bound the memory, logits are
/// computed for at most kWordsAtOnce words at a time (word_blocks.h), or, with `forced_attention`,
/// for one word of each target. Throws the exceptions of force_decode().
[[nodiscard]] std::vector<std::vector<Expectation>> expectations(
    const model::Seq2Seq& model, const data::SentenceBatch& source,
    std::span<const std::vector<text::TokenId>> targets, int64_t count,
    const std::map<int64_t, int64_t>& forced_attention = {});

}  // namespace attend::decode
