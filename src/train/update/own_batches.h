#pragma once
#include <torch/types.h>

#include <cstdint>
#include <span>
#include <vector>

#include "data/batch.h"
#include "distributed/communicator.h"
#include "train/together/batch_share.h"

namespace attend::train {

/// What a process computes of the batches of an update.
class OwnBatches {
 public:
  /// Borrows `batches`. `peers`: the processes that share each batch; null: only this process. The
  /// share of this process is computed in up to `parts` parts, of about equally many tokens.
  OwnBatches(std::span<const data::Batch> batches, const distributed::Communicator* peers,
             int64_t parts);

  struct Item {
    const data::Batch* batch;
    uint64_t number;     // number of the whole batch in the update
    torch::Tensor rows;  // [b] int64: its rows in the whole batch
  };
  [[nodiscard]] const std::vector<Item>& items() const { return items_; }

 private:
  std::vector<Share> shares_;
  std::vector<Item> items_;
};

}  // namespace attend::train
