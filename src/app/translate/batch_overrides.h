#pragma once
#include <cstdint>
#include <optional>

#include "app/model/loaded_model.h"
#include "decode/length_batches.h"
#include "decode/options.h"

namespace attend::app {

/// How much the caller wants decoded together; what is unset comes from the model's config.
struct BatchOverrides {
  std::optional<int64_t> size;
  std::optional<data::BatchUnit> unit;

  /// Puts what is set in place of the values of `options`; a size alone counts sentences. Throws
  /// UsageError for a unit without a size, which would count the config's size in another unit.
  void apply_to(decode::DecodingOptions& options) const;
};

/// How much of what the model reads is decoded together. Throws UsageError for a size out of
/// range, and as BatchOverrides::apply_to().
[[nodiscard]] decode::BatchSize batch_size(const BatchOverrides& overrides,
                                           const LoadedModel& model);

}  // namespace attend::app
