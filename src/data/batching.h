#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "core/random.h"
#include "data/batch.h"
#include "data/batch_options.h"
#include "data/parallel_corpus.h"

namespace attend::data {

/// The batches of one pass over a corpus, in training order.
struct EpochPlan {
  std::vector<int64_t>
      order;  // pairs, batch after batch: each once, or as often as its weight says
  std::vector<int64_t> starts;  // where each batch begins in `order`, then order.size()

  /// Number of batches.
  [[nodiscard]] int64_t size() const { return static_cast<int64_t>(starts.size()) - 1; }
  /// Pair numbers of batch `i`.
  [[nodiscard]] std::span<const int64_t> batch(int64_t i) const;
};

/// Shuffles the pairs, sorts them by length within large random pools to save padding, cuts the
/// pools into batches and shuffles the batches. The first batch of a pool has a random size, so
/// that even the shortest and the longest pairs share a batch with different pairs in every epoch.
/// With several sources, the length of a pair is that of its longest source. Random numbers come
/// from the stream "shuffle" of `seed` for `epoch`: the same arguments give the same plan.
[[nodiscard]] EpochPlan plan_epoch(const ParallelCorpus& corpus, const BatchOptions& options,
                                   uint64_t seed, uint64_t epoch);

/// Like plan_epoch(), but for the pairs `order` and with random numbers from `random`.
[[nodiscard]] EpochPlan plan_pairs(const ParallelCorpus& corpus, const BatchOptions& options,
                                   std::vector<int64_t> order, Random random);

/// The batch of these pairs. Rows are sorted by descending length of the longest source; pairs of
/// equal length keep their order.
[[nodiscard]] Batch make_batch(const ParallelCorpus& corpus, std::span<const int64_t> pairs);

/// Sampled pieces of some pairs, without end symbols.
struct CutPairs {
  std::vector<Sentences> sources;  ///< by source side
  Sentences targets;
  std::vector<PieceOrigins> origins = {};  ///< one per pair if the corpus has goals, else empty
};

/// Like make_batch(corpus, pairs), but with the pieces in `cut` instead of those in the corpus.
/// Throws std::logic_error if the corpus has attention goals and `cut` has no origins.
[[nodiscard]] Batch make_batch(const ParallelCorpus& corpus, std::span<const int64_t> pairs,
                               CutPairs cut);

}  // namespace attend::data
