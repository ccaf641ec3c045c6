#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "core/random.h"
#include "data/batch.h"
#include "data/batch_options.h"
#include "data/parallel_corpus.h"

namespace attend::data {

/// The batches of one pass over a corpus, in the order in which they are trained on.
struct EpochPlan {
  std::vector<int64_t> order;   // the pairs, batch after batch: each once, or by its weight
  std::vector<int64_t> starts;  // where each batch begins in `order`, then order.size()

  /// Number of batches.
  [[nodiscard]] int64_t size() const { return static_cast<int64_t>(starts.size()) - 1; }
  /// Pair numbers of batch `i`.
  [[nodiscard]] std::span<const int64_t> batch(int64_t i) const;
};

/// Shuffles the pairs, sorts them by length within large random pools so that little padding is
/// needed, cuts the pools into batches and shuffles those. The first batch of a pool holds a random
/// part of the size, so that even the shortest and the longest pairs meet others in every epoch.
/// Of several sources the longest counts. The stream "shuffle" of `seed` for `epoch` decides; the
/// same arguments give the same plan.
[[nodiscard]] EpochPlan plan_epoch(const ParallelCorpus& corpus, const BatchOptions& options,
                                   uint64_t seed, uint64_t epoch);

/// The same of the pairs `order`, with these draws.
[[nodiscard]] EpochPlan plan_pairs(const ParallelCorpus& corpus, const BatchOptions& options,
                                   std::vector<int64_t> order, Random random);

/// The batch of these pairs, rows by descending length of their longest source (pairs of equal
/// length in the order given).
[[nodiscard]] Batch make_batch(const ParallelCorpus& corpus, std::span<const int64_t> pairs);

/// Pairs in pieces, without end symbols.
struct CutPairs {
  std::vector<Sentences> sources;  ///< of each source side
  Sentences targets;
  std::vector<PieceOrigins> origins = {};  ///< of each pair, if the corpus has goals
};

/// The same batch with these pieces instead of those of the corpus. Throws std::logic_error if the
/// corpus has goals and `cut` has no origins.
[[nodiscard]] Batch make_batch(const ParallelCorpus& corpus, std::span<const int64_t> pairs,
                               CutPairs cut);

}  // namespace attend::data
