#pragma once
#include <cstdint>
#include <vector>

#include "data/batch_options.h"
#include "data/batching.h"
#include "data/parallel_corpus.h"

namespace attend::data {

/// Bounds the memory of an epoch's order. Different bounds give a different order.
struct OrderBounds {
  int64_t pool = int64_t{1} << 20;  ///< most pairs that are shuffled together
  int64_t block = 4096;             ///< consecutive pairs of the corpus that share a pool
};

/// The batches of one pass over a corpus of any size, planned a pool at a time.
///
/// A pass of at most bounds.pool pairs is a single pool, planned by plan_epoch(): any two pairs may
/// share a batch. A larger pass is cut into blocks of consecutive pairs. The blocks are shuffled
/// (stream "shuffle blocks" of the seed for the epoch) and dealt to pools of equally many blocks
/// and at most about bounds.pool pairs. Within a pool, pairs are shuffled, sorted by length in
/// parts and cut into batches, and the batches are shuffled, as in plan_epoch() (stream "shuffle
/// pool" of the epoch for the pool). So a pair shares batches with pairs of its own block and of
/// the blocks in the same pool, which differ in every epoch. The extra pairs of a fractional weight
/// are drawn block by block, the rounded share of each block. Memory holds one pool (32 bytes a
/// pair) and one record per block (0.8 MB for 10^8 pairs). The pairs of a pool lie in a few hundred
/// regions of the file. Each pool can be planned without those before it.
class EpochOrder {
 public:
  /// Borrows the corpus.
  EpochOrder(const ParallelCorpus& corpus, BatchOptions options, uint64_t seed, uint64_t epoch,
             OrderBounds bounds = {});

  /// Number of pools, at least one.
  [[nodiscard]] int64_t pools() const { return static_cast<int64_t>(pool_begins_.size()) - 1; }
  /// The batches of a pool.
  [[nodiscard]] EpochPlan plan(int64_t pool) const;
  /// Number of pairs of the pass.
  [[nodiscard]] int64_t pairs() const { return pairs_before_.back(); }
  /// Number of pairs in the pools before `pool`; if `pool` is pools(), in all pools.
  [[nodiscard]] int64_t pairs_before(int64_t pool) const {
    return pairs_before_.at(static_cast<std::size_t>(pool));
  }

 private:
  /// Pairs [begin, end) of the corpus, of which `drawn` are drawn at random.
  struct Block {
    int64_t begin = 0;
    int64_t end = 0;
    int64_t drawn = 0;
  };

  void add_part(int64_t begin, int64_t end, double weight);
  void deal();
  [[nodiscard]] std::vector<int64_t> pairs_of(const Block& block) const;

  const ParallelCorpus& corpus_;
  BatchOptions options_;
  uint64_t seed_;
  uint64_t epoch_;
  OrderBounds bounds_;
  std::vector<Block> blocks_;             // in the order of the pass; empty for a single pool
  std::vector<std::size_t> pool_begins_;  // first block of each pool, then blocks_.size()
  std::vector<int64_t> pairs_before_;     // pairs before each pool, then all pairs
};

}  // namespace attend::data
