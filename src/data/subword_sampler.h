#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "data/batching.h"
#include "data/corpus_reader.h"

namespace attend::data {

/// Samples new pieces for the pairs of a batch (Tokenizer::sample_again). The sample of a side
/// depends only on the seed, the epoch and the pair's line number, not on the batch or the thread.
/// A tag is never split. A side that would exceed data.max_length keeps its usual pieces. The text
/// is decoded from the pieces, not read again: it is normalised and has no unknown characters.
class SubwordSampler {
 public:
  /// Borrows the tokenizers. `alpha` is tokenizer.sampling.
  SubwordSampler(const TokenizerPair& tokenizers, const DataOptions& options, double alpha,
                 uint64_t seed);

  /// Samples pieces for `pairs`, in this order, with origins if the corpus has goals. Thread-safe.
  [[nodiscard]] CutPairs cut(const ParallelCorpus& corpus, std::span<const int64_t> pairs,
                             uint64_t epoch) const;

 private:
  using Ids = std::vector<text::TokenId>;
  [[nodiscard]] Ids cut_side(const text::Tokenizer& tokenizer, Ids ids, uint64_t seed) const;
  [[nodiscard]] Ids cut_source(Ids ids, uint64_t seed) const;

  TokenizerPair tokenizers_;
  std::vector<text::TokenId> tags_;
  std::size_t max_length_;
  double alpha_;
  uint64_t seed_;
};

}  // namespace attend::data
