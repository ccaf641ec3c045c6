#pragma once
#include <map>
#include <span>
#include <vector>

#include "model/seq2seq.h"

namespace attend::decode {

/// A token that could stand at a position.
struct Alternative {
  text::TokenId token = text::kEos;
  double probability = 0.0;
};

/// What a model expects at a position of a translation that it is given.
struct Expectation {
  double log_prob = 0.0;          ///< of the token that stands there; nats
  double entropy = 0.0;           ///< of the distribution over the vocabulary; nats
  std::vector<Alternative> best;  ///< the most probable tokens, best first
};

/// For each target (without kBos and kEos) an Expectation per token and one for kEos, with the
/// `count` most probable tokens, or all where the vocabulary has fewer. `forced_attention` is that
/// of SearchSentence, for all targets. Scores over the vocabulary are held of kWordsAtOnce words
/// (word_blocks.h) at a time, or where `forced_attention` is given of one word of each target.
/// Throws what force_decode() throws.
[[nodiscard]] std::vector<std::vector<Expectation>> expectations(
    const model::Seq2Seq& model, const data::SentenceBatch& source,
    std::span<const std::vector<text::TokenId>> targets, int64_t count,
    const std::map<int64_t, int64_t>& forced_attention = {});

}  // namespace attend::decode
