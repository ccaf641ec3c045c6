#include "train/batch_stream.h"

#include <algorithm>
#include <utility>

#include "core/error.h"

namespace attend::train {

BatchStream::BatchStream(std::shared_ptr<const data::ParallelCorpus> corpus,
                         data::BatchOptions options, uint64_t seed, CutPairs cut,
                         data::OrderBounds bounds)
    : corpus_(std::move(corpus)),
      options_(std::move(options)),
      seed_(seed),
      cut_(std::move(cut)),
      bounds_(bounds) {}

std::vector<data::Batch> BatchStream::next(int64_t count) {
  if (!order_) load_epoch();
  std::vector<data::Batch> batches;
  const int64_t epoch = position_.epoch;
  while (count-- > 0 && position_.epoch == epoch) {
    batches.push_back(take_batch());
    position_.batches = plan_.size();
    if (position_.batch == plan_.size()) advance();
  }
  return batches;
}

bool BatchStream::seek(const DataPosition& position) {
  ahead_.clear();
  position_ = position;
  order_.reset();
  if (position.batch == 0 && position.pool == 0) return true;
  load_epoch();
  const bool same_number = position.batches == 0 || position.batches == plan_.size();
  if (same_number && position.pool < order_->pools() && position.batch < plan_.size()) return true;
  ahead_.clear();
  position_ = {position.epoch, 0, 0, 0};
  order_.reset();
  return false;
}

double BatchStream::epochs() const {
  const auto whole = static_cast<double>(position_.epoch);
  if (!order_ || (position_.batch == 0 && position_.pool == 0)) return whole;
  const double of_pool = static_cast<double>(position_.batch) / static_cast<double>(plan_.size());
  if (order_->pools() == 1) return whole + of_pool;
  const auto before = static_cast<double>(order_->pairs_before(position_.pool));
  const auto after = static_cast<double>(order_->pairs_before(position_.pool + 1));
  return whole + (before + (after - before) * of_pool) / static_cast<double>(order_->pairs());
}

/// Moves from the end of a pool to the next one, possibly of the next epoch.
void BatchStream::advance() {
  ahead_.clear();
  if (position_.pool + 1 < order_->pools()) {
    position_ = {position_.epoch, 0, 0, position_.pool + 1};
    load_pool();
  } else {
    seek({position_.epoch + 1, 0, 0, 0});
  }
}

void BatchStream::load_epoch() {
  const auto epoch = static_cast<uint64_t>(position_.epoch);
  if (corpus_->size() == 0) {
    throw DataError(
        "no training pairs are left after filtering; check data.train and "
        "data.max_length");
  }
  order_.emplace(*corpus_, options_, seed_, epoch, bounds_);
  if (order_->pairs() == 0)
    throw DataError("an epoch has no training pairs; raise the weights in data.train");
  load_pool();
}

void BatchStream::load_pool() {
  plan_ = order_->plan(std::min(position_.pool, order_->pools() - 1));
}

data::Batch BatchStream::take_batch() {
  const std::span<const int64_t> pairs = plan_.batch(position_.batch);
  if (!cut_) {
    ++position_.batch;
    return data::make_batch(*corpus_, pairs);
  }
  cut_ahead();
  ++position_.batch;
  data::CutPairs cut = ahead_.front().get();
  ahead_.pop_front();
  return data::make_batch(*corpus_, pairs, std::move(cut));
}

/// Starts cut_() in other threads for the next batch and a few after it. plan_ outlives ahead_.
void BatchStream::cut_ahead() {
  constexpr int64_t kBatchesAhead = 4;
  const int64_t end = std::min(plan_.size(), position_.batch + 1 + kBatchesAhead);
  const auto epoch = static_cast<uint64_t>(position_.epoch);
  for (int64_t i = position_.batch + static_cast<int64_t>(ahead_.size()); i < end; ++i) {
    ahead_.push_back(
        std::async(std::launch::async, [cut = cut_, corpus = corpus_, pairs = plan_.batch(i),
                                        epoch] { return cut(*corpus, pairs, epoch); }));
  }
}

}  // namespace attend::train
