#pragma once
#include <cstdint>
#include <optional>

#include "app/model/loaded_model.h"
#include "decode/length_batches.h"
#include "decode/options.h"

namespace attend::app {

/// Overrides of the batch size; unset values come from the model's config.
struct BatchOverrides {
  std::optional<int64_t> size;
  std::optional<data::BatchUnit> unit;

  /// Overrides the values of `options`; a size without a unit counts sentences. Throws UsageError
  /// for a unit without a size, which would reinterpret the config's size.
  void apply_to(decode::DecodingOptions& options) const;
};

/// The batch size for this model. Throws UsageError for a size out of range, and like
/// BatchOverrides::apply_to().
[[nodiscard]] decode::BatchSize batch_size(const BatchOverrides& overrides,
                                           const LoadedModel& model);

}  // namespace attend::app
