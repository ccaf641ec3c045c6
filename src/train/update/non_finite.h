#pragma once
#include <span>
#include <string>

#include "data/batch.h"
#include "train/observer.h"

namespace attend::train {

/// Describes the batches of an update: "lines 3, 8 of the training text, of up to 20 source and 24
/// target pieces".
[[nodiscard]] std::string describe_batches(std::span<const data::Batch> batches);

/// The error of a run that skipped more updates in a row than `allowed`: update, loss, gradient,
/// the last batches, and what to try.
[[nodiscard]] std::string non_finite_message(const SkipReport& report, int64_t allowed);

/// The error of an update without enough memory. `shared`: several processes share the batches.
[[nodiscard]] std::string out_of_memory_message(std::span<const data::Batch> batches, bool shared);

/// The same if even one pair at a time takes too much memory.
[[nodiscard]] std::string no_memory_for_a_pair_message(std::span<const data::Batch> batches);

/// The error of a run that has no checkpoint yet after `update` updates, and cannot save one
/// because its weights are not finite.
[[nodiscard]] std::string non_finite_start_message(int64_t update);

/// The error of a run whose weights are not finite at its end, after `update` updates.
[[nodiscard]] std::string non_finite_end_message(int64_t update);

}  // namespace attend::train
