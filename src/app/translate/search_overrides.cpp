#include "app/translate/search_overrides.h"

#include <fmt/format.h>

#include "core/error.h"
#include "core/excerpt.h"
#include "core/log.h"
#include "core/number.h"
#include "core/option_name.h"

namespace attend::app {
namespace {

void refuse_int8_on(const torch::Device& device) {
  if (device.is_cpu()) return;
  throw UsageError(
      fmt::format("{} int8 is for the CPU, but this runs on {}; use f32 or bf16, or "
                  "give {} cpu",
                  option_name("precision"), device.str(), option_name("device")));
}

int64_t shortlist_size(const std::string& text) {
  if (const auto size = number_in<int64_t>(text)) return *size;
  throw UsageError(fmt::format(
      "{}: expected FILE FIRST BEST with whole numbers, got \"{}\" (example: lex.s2t 100 100: the "
      "100 most frequent target pieces and the 100 best for each source piece)",
      option_name("shortlist"), excerpt(text)));
}

decode::ShortlistSizes shortlist_sizes(const std::vector<std::string>& given) {
  if (given.size() == 1) return {};
  if (given.size() == 3) return {shortlist_size(given[1]), shortlist_size(given[2])};
  throw UsageError(fmt::format("{}: expected FILE or FILE FIRST BEST, got {} values",
                               option_name("shortlist"), given.size()));
}

}  // namespace

decode::DecodingOptions decoding_options(const SearchOverrides& overrides,
                                         const LoadedModel& model) {
  if (overrides.precision == decode::Precision::int8) refuse_int8_on(model.model->device());
  auto options = model.experiment.decoding;
  options.beam = overrides.beam.value_or(options.beam);
  options.length_penalty = overrides.length_penalty.value_or(options.length_penalty);
  options.coverage_penalty = overrides.coverage_penalty.value_or(options.coverage_penalty);
  options.max_length_ratio = overrides.max_length_ratio.value_or(options.max_length_ratio);
  options.no_repeat_ngram_size =
      overrides.no_repeat_ngram_size.value_or(options.no_repeat_ngram_size);
  overrides.batch.apply_to(options);
  options.precision = overrides.precision.value_or(options.precision);
  options.kernels = overrides.kernels.value_or(options.kernels);
  if (options.coverage_penalty > 0.0) require_attention(model, "the coverage penalty");
  return options;
}

std::shared_ptr<const decode::Shortlist> load_shortlist(const SearchOverrides& overrides,
                                                        const LoadedModel& model) {
  if (overrides.shortlist.empty()) return nullptr;
  const decode::ShortlistSizes sizes = shortlist_sizes(overrides.shortlist);
  auto shortlist = std::make_shared<const decode::Shortlist>(
      decode::read_shortlist(overrides.shortlist.front(), *model.source, *model.target, sizes));
  log::info(
      "shortlist: the {} most frequent of {} target pieces and the {} best for each source piece",
      sizes.first, shortlist->vocabulary(), sizes.best);
  return shortlist;
}

}  // namespace attend::app
