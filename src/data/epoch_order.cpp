#include "data/epoch_order.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "core/random.h"
#include "data/corpus_weights.h"

namespace attend::data {

EpochOrder::EpochOrder(const ParallelCorpus& corpus, BatchOptions options, uint64_t seed,
                       uint64_t epoch, OrderBounds bounds)
    : corpus_(corpus), options_(options), seed_(seed), epoch_(epoch), bounds_(bounds) {
  const int64_t pairs = count_pairs_of_epoch(corpus);
  if (pairs <= bounds_.pool) {
    pool_begins_ = {0, 0};
    pairs_before_ = {0, pairs};
    return;
  }
  if (corpus.parts().empty()) add_part(0, corpus.size(), 1.0);
  int64_t begin = 0;
  for (const WeightedPart& part : corpus.parts())
    add_part(std::exchange(begin, part.end), part.end, part.weight);
  stream(seed, "shuffle blocks", epoch).shuffle(blocks_);
  deal();
}

/// Adds the blocks of a part as often as its weight demands. The fraction of the weight is spread
/// over all blocks.
void EpochOrder::add_part(int64_t begin, int64_t end, double weight) {
  const double whole = std::floor(weight);
  const auto drawn_before = [&](int64_t pairs) {
    return std::llround((weight - whole) * static_cast<double>(pairs));
  };
  for (int64_t first = begin; first < end; first += bounds_.block) {
    const int64_t last = std::min(end, first + bounds_.block);
    for (double copy = 0; copy < whole; ++copy) blocks_.push_back({first, last, last - first});
    const int64_t drawn = drawn_before(last - begin) - drawn_before(first - begin);
    if (drawn > 0) blocks_.push_back({first, last, drawn});
  }
}

void EpochOrder::deal() {
  int64_t pairs = 0;
  for (const Block& block : blocks_) pairs += block.drawn;
  const auto pools = static_cast<std::size_t>((pairs + bounds_.pool - 1) / bounds_.pool);
  pairs_before_ = {0};
  for (std::size_t pool = 0; pool <= pools; ++pool)
    pool_begins_.push_back(pool * blocks_.size() / pools);
  for (std::size_t pool = 0; pool < pools; ++pool) {
    pairs_before_.push_back(pairs_before_.back());
    for (std::size_t i = pool_begins_[pool]; i < pool_begins_[pool + 1]; ++i)
      pairs_before_.back() += blocks_[i].drawn;
  }
}

std::vector<int64_t> EpochOrder::pairs_of(const Block& block) const {
  std::vector<int64_t> pairs(static_cast<std::size_t>(block.end - block.begin));
  std::iota(pairs.begin(), pairs.end(), block.begin);
  if (block.drawn == block.end - block.begin) return pairs;
  const uint64_t seed = stream_seed(seed_, "corpus weights", epoch_);
  stream(seed, "block", static_cast<uint64_t>(block.begin)).shuffle(pairs);
  pairs.resize(static_cast<std::size_t>(block.drawn));
  return pairs;
}

EpochPlan EpochOrder::plan(int64_t pool) const {
  if (blocks_.empty()) return plan_epoch(corpus_, options_, seed_, epoch_);
  const auto index = static_cast<std::size_t>(pool);
  std::vector<int64_t> order;
  order.reserve(static_cast<std::size_t>(pairs_before(pool + 1) - pairs_before(pool)));
  for (std::size_t i = pool_begins_.at(index); i < pool_begins_.at(index + 1); ++i) {
    const std::vector<int64_t> pairs = pairs_of(blocks_[i]);
    order.insert(order.end(), pairs.begin(), pairs.end());
  }
  const uint64_t seed = stream_seed(seed_, "shuffle pool", epoch_);
  return plan_pairs(corpus_, options_, std::move(order),
                    stream(seed, "pool", static_cast<uint64_t>(pool)));
}

}  // namespace attend::data
