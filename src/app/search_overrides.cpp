#include "app/search_overrides.h"

#include <fmt/format.h>

#include "core/error.h"
#include "core/option_name.h"

namespace attend::app {
namespace {

void refuse_on(const torch::Device& device, const std::string& option) {
  if (device.is_cpu()) return;
  throw UsageError(
      fmt::format("{} would have no effect: it chooses how products are computed on the CPU, and "
                  "this runs on {}; leave it out, or give {} cpu",
                  option, device.str(), option_name("device")));
}

}  // namespace

decode::DecodingOptions decoding_options(const SearchOverrides& overrides,
                                         const LoadedModel& model) {
  if (overrides.precision) refuse_on(model.model->device(), option_name("precision"));
  if (overrides.kernels) refuse_on(model.model->device(), option_name("kernels"));
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
