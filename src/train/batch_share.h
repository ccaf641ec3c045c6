#pragma once
#include <cstdint>
#include <optional>

#include "data/batch.h"

namespace attend::train {

/// The examples of `batch` that process `rank` of `size` computes: every example falls to one of
/// them. They are dealt by length, longest first, forth and back, so that all get as many examples
/// (or one more) and about as many tokens; padding that none of them needs is cut off. Nothing
/// where there are fewer examples than processes and none is left for this one.
[[nodiscard]] std::optional<data::Batch> share_of(const data::Batch& batch, int64_t rank,
                                                  int64_t size);

}  // namespace attend::train
