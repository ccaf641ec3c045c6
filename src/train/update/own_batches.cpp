#include "train/update/own_batches.h"

#include <torch/utils.h>

#include <utility>

namespace attend::train {

OwnBatches::OwnBatches(std::span<const data::Batch> batches, const distributed::Communicator* peers,
                       int64_t parts) {
  const int64_t first = peers == nullptr ? 0 : peers->rank() * parts;
  const int64_t all = peers == nullptr ? parts : peers->size() * parts;
  shares_.reserve(batches.size() * static_cast<std::size_t>(parts));
  for (std::size_t i = 0; i < batches.size(); ++i) {
    if (all == 1) {
      items_.push_back({&batches[i], i, torch::arange(batches[i].size())});
      continue;
    }
    for (int64_t part = first; part < first + parts; ++part) {
      auto share = share_of(batches[i], part, all);
      if (!share) continue;
      const Share& own = shares_.emplace_back(*std::move(share));
      items_.push_back({&own.batch, i, own.rows});
    }
  }
}

}  // namespace attend::train
