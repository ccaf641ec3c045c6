#include "train/batch_stream.h"

#include <utility>

#include "core/error.h"

namespace attend::train {

BatchStream::BatchStream(CorpusOfEpoch corpus, data::BatchOptions options, uint64_t seed)
    : corpus_of_(std::move(corpus)), options_(std::move(options)), seed_(seed) {}

std::vector<data::Batch> BatchStream::next(int64_t count) {
  if (!corpus_) load_epoch();
  std::vector<data::Batch> batches;
  while (count-- > 0 && position_.batch < plan_.size()) {
    batches.push_back(data::make_batch(*corpus_, plan_.batch(position_.batch++)));
  }
  position_.batches = plan_.size();
  if (position_.batch >= plan_.size()) seek({position_.epoch + 1, 0, 0});
  return batches;
}

bool BatchStream::seek(const DataPosition& position) {
  position_ = position;
  corpus_.reset();
  if (position.batch == 0) return true;
  load_epoch();
  const bool same_number = position.batches == 0 || position.batches == plan_.size();
  if (same_number && position.batch < plan_.size()) return true;
  position_ = {position.epoch, 0, 0};
  return false;
}

double BatchStream::epochs() const {
  const auto whole = static_cast<double>(position_.epoch);
  if (position_.batch == 0) return whole;
  return whole + static_cast<double>(position_.batch) / static_cast<double>(plan_.size());
}

void BatchStream::load_epoch() {
  const auto epoch = static_cast<uint64_t>(position_.epoch);
  corpus_ = corpus_of_(epoch);
  if (corpus_->size() == 0) {
    throw DataError(
        "no training pairs are left after filtering; look at data.train and "
        "data.max_length");
  }
  plan_ = data::plan_epoch(*corpus_, options_, seed_, epoch);
  if (plan_.size() == 0)
    throw DataError("an epoch has no training pairs; raise the weights in data.train");
}

}  // namespace attend::train
