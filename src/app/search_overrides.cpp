#include "app/search_overrides.h"

namespace attend::app {

decode::DecodingOptions decoding_options(const SearchOverrides& overrides,
                                         const LoadedModel& model) {
  auto options = model.experiment.decoding;
  options.beam = overrides.beam.value_or(options.beam);
  options.length_penalty = overrides.length_penalty.value_or(options.length_penalty);
  options.coverage_penalty = overrides.coverage_penalty.value_or(options.coverage_penalty);
  options.max_length_ratio = overrides.max_length_ratio.value_or(options.max_length_ratio);
  options.batch_size = overrides.batch_size.value_or(options.batch_size);
  options.precision = overrides.precision.value_or(options.precision);
  options.kernels = overrides.kernels.value_or(options.kernels);
  if (options.coverage_penalty > 0.0) require_attention(model, "the coverage penalty");
  return options;
}

}  // namespace attend::app
