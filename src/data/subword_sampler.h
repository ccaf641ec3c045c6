#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "data/batching.h"
#include "data/corpus_reader.h"

namespace attend::data {

/// Cuts pairs of a corpus into other pieces for every epoch (Tokenizer::sample_again), a batch at a
/// time. The draws of a side follow from the seed, the epoch and the number of its line alone, so
/// that they are the same in whatever batch and on whatever thread it is cut. A tag before a source
/// stays whole. A side that would become longer than data.max_length keeps its usual pieces. The
/// text is what its pieces say (it is not read again): normalised, without unknown characters.
class SubwordSampler {
 public:
  /// Tokenizers are borrowed. `alpha` as tokenizer.sampling.
  SubwordSampler(const TokenizerPair& tokenizers, const DataOptions& options, double alpha,
                 uint64_t seed);

  /// Pieces of these pairs, in this order, with their origins if the corpus has goals. May be
  /// called from several threads.
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
