#pragma once
#include <cstdint>
#include <optional>

#include "data/batch.h"

namespace attend::train {

/// Which of `size` processes takes what is dealt `turn`th, forth and back: 0, 1, 2, 2, 1, 0, 0, ...
[[nodiscard]] int64_t taker(int64_t turn, int64_t size);

/// What a process computes of a batch.
struct Share {
  data::Batch batch;
  torch::Tensor rows;  // [b] int64, rising: which of the whole batch its rows are
};

/// The examples of `batch` that process `rank` of `size` computes: every example falls to one of
/// them. They are dealt by length, longest first, forth and back, so that all get as many examples
/// (or one more) and about as many tokens; padding that none of them needs is cut off. Nothing
/// where there are fewer examples than processes and none is left for this one.
[[nodiscard]] std::optional<Share> share_of(const data::Batch& batch, int64_t rank, int64_t size);

}  // namespace attend::train
