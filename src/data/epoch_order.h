#pragma once
#include <cstdint>
#include <vector>

#include "data/batch_options.h"
#include "data/batching.h"
#include "data/parallel_corpus.h"

namespace attend::data {

/// Bounds of what the order of an epoch keeps in memory. Other numbers give another order.
struct OrderBounds {
  int64_t pool = int64_t{1} << 20;  ///< pairs that are shuffled among each other
  int64_t block = 4096;             ///< consecutive pairs of the corpus that share a pool
};

/// The batches of one pass over a corpus of any size, planned a pool at a time.
///
/// A pass of at most bounds.pool pairs is one pool: plan_epoch(), in which every pair may meet any
/// other. A larger one is cut into blocks of consecutive pairs. The blocks are shuffled (stream
/// "shuffle blocks" of the seed for the epoch) and dealt to pools of equal numbers of blocks, at
/// most bounds.pool pairs or so each. The pairs of a pool are shuffled, sorted by length within
/// parts, cut into batches, and these shuffled, as plan_epoch() does (stream "shuffle pool" of the
/// epoch for the pool). So a pair can meet those of its own block and of the blocks that the epoch
/// put beside it, others in every epoch. A weight's fraction of a text is drawn block by block,
/// each giving its rounded share. In memory are one pool (32 bytes a pair) and a record for each
/// block: 0.8 MB for 10^8 pairs; and a pool's pairs lie in some hundred places of the file.
/// Any pool can be planned without those before it.
class EpochOrder {
 public:
  /// The corpus is borrowed.
  EpochOrder(const ParallelCorpus& corpus, BatchOptions options, uint64_t seed, uint64_t epoch,
             OrderBounds bounds = {});

  /// At least one.
  [[nodiscard]] int64_t pools() const { return static_cast<int64_t>(pool_begins_.size()) - 1; }
  /// The batches of a pool.
  [[nodiscard]] EpochPlan plan(int64_t pool) const;
  /// Pairs of the pass.
  [[nodiscard]] int64_t pairs() const { return pairs_before_.back(); }
  /// Pairs of the pools before this one; of all for pools().
  [[nodiscard]] int64_t pairs_before(int64_t pool) const {
    return pairs_before_.at(static_cast<std::size_t>(pool));
  }

 private:
  /// Pairs [begin, end) of the corpus, or some of them.
  struct Block {
    int64_t begin = 0;
    int64_t end = 0;
    int64_t drawn = 0;  // so many of them
  };

  void add_part(int64_t begin, int64_t end, double weight);
  void deal();
  [[nodiscard]] std::vector<int64_t> pairs_of(const Block& block) const;

  const ParallelCorpus& corpus_;
  BatchOptions options_;
  uint64_t seed_;
  uint64_t epoch_;
  OrderBounds bounds_;
  std::vector<Block> blocks_;             // in the order of the pass; none: plan_epoch()
  std::vector<std::size_t> pool_begins_;  // of each pool in blocks_, and the end
  std::vector<int64_t> pairs_before_;     // each pool, and of all
};

}  // namespace attend::data
