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

/// What the caller wants of a search; what is unset comes from the model's config.
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
  /// Empty, or the file of a lexical table and, or not, the two numbers of ShortlistSizes.
  std::vector<std::string> shortlist;
};

/// The model's decoding section with what is set in place of its values. Throws UsageError for a
/// coverage penalty where the model has no attention, and for a precision or kernels where it is
/// not on the CPU.
[[nodiscard]] decode::DecodingOptions decoding_options(const SearchOverrides& overrides,
                                                       const LoadedModel& model);

/// The shortlist asked for, by the pieces of the model (of an ensemble the first); null: none.
/// Throws UsageError for numbers that are none or too few, and what decode::read_shortlist()
/// throws.
[[nodiscard]] std::shared_ptr<const decode::Shortlist> load_shortlist(
    const SearchOverrides& overrides, const LoadedModel& model);

}  // namespace attend::app
