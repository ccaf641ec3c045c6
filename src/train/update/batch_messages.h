#pragma once
#include <span>
#include <string>

#include "data/batch.h"

namespace attend::train {

/// Describes the batches of an update: "lines 3, 8 of the training text, of up to 20 source and 24
/// target pieces".
[[nodiscard]] std::string describe_batches(std::span<const data::Batch> batches);

/// The error of an update without enough memory. `shared`: several processes share the batches.
[[nodiscard]] std::string out_of_memory_message(std::span<const data::Batch> batches, bool shared);

/// The same if even one pair at a time takes too much memory.
[[nodiscard]] std::string no_memory_for_a_pair_message(std::span<const data::Batch> batches);

}  // namespace attend::train
