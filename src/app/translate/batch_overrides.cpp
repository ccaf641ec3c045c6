#include "app/translate/batch_overrides.h"

#include <fmt/format.h>

#include "core/error.h"
#include "core/option_name.h"

namespace attend::app {

void BatchOverrides::apply_to(decode::DecodingOptions& options) const {
  if (unit && !size) {
    throw UsageError(fmt::format(
        "{} changes the unit of {}, but the model's {} may have another unit; give both",
        option_name("batch-unit"), option_name("batch-size"), options.batch_size));
  }
  if (!size) return;
  options.batch_size = *size;
  options.batch_unit = unit.value_or(data::BatchUnit::sentences);
}

decode::BatchSize batch_size(const BatchOverrides& overrides, const LoadedModel& model) {
  decode::SearchOptions options;
  options.decoding.batch_size = model.experiment.decoding.batch_size;
  options.decoding.batch_unit = model.experiment.decoding.batch_unit;
  overrides.apply_to(options.decoding);
  decode::validate(options);
  return decode::batch_size_of(options.decoding);
}

}  // namespace attend::app
