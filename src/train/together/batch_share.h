#pragma once
#include <cstdint>
#include <optional>

#include "data/batch.h"

namespace attend::train {

/// The process, out of `size`, that gets item `turn` if items are dealt back and forth: 0, 1, 2, 2,
/// 1, 0, 0, ...
[[nodiscard]] int64_t taker(int64_t turn, int64_t size);

/// A process' share of a batch.
struct Share {
  data::Batch batch;
  torch::Tensor rows;  // [b] int64, ascending: its rows in the whole batch
};

/// Returns the examples of `batch` that process `rank` of `size` computes; each example belongs to
/// one process. Examples are dealt by length, longest first, back and forth, so that all processes
/// get the same number (or one more) and about equally many tokens. Superfluous padding is cut off.
/// Returns nothing if there are too few examples for this process to get one.
[[nodiscard]] std::optional<Share> share_of(const data::Batch& batch, int64_t rank, int64_t size);

}  // namespace attend::train
