#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/model/loaded_model.h"
#include "app/translate/batch_overrides.h"
#include "app/translate/translate_lines.h"
#include "decode/options.h"
#include "decode/scoring/shortlist.h"

namespace attend::app {

/// Overrides of the search options; unset values come from the model's config.
struct SearchOverrides {
  std::optional<int64_t> beam;
  std::optional<double> length_penalty;
  std::optional<double> coverage_penalty;
  std::optional<double> max_length_ratio;
  std::optional<int64_t> no_repeat_ngram_size;
  BatchOverrides batch;
  std::optional<decode::Precision> precision;
  std::optional<decode::KernelKind> kernels;
  LongLines long_lines = LongLines::kTruncate;
  /// Empty, or the file of a lexical table, optionally with the two numbers of ShortlistSizes.
  std::vector<std::string> shortlist;
  std::string protect;  ///< as for protect_choice(); empty: the model's data.protect
};

/// The model's decoding section with these overrides. Throws UsageError for a coverage penalty with
/// a model without attention and for an override int8 with a model that is not on the CPU, and like
/// BatchOverrides::apply_to().
[[nodiscard]] decode::DecodingOptions decoding_options(const SearchOverrides& overrides,
                                                       const LoadedModel& model);

/// Loads the shortlist for the pieces of the model (the first of an ensemble); null if none is
/// given. Throws UsageError for malformed or missing numbers, and what decode::read_shortlist()
/// throws.
[[nodiscard]] std::shared_ptr<const decode::Shortlist> load_shortlist(
    const SearchOverrides& overrides, const LoadedModel& model);

}  // namespace attend::app
