#pragma once
#include <string>
#include <vector>

#include "app/model/loaded_model.h"
#include "metrics/faithfulness/word_class.h"

namespace attend::app {

/// If nothing else is known, this many of the most frequent words count as function words.
inline constexpr std::size_t kFrequentWords = 100;

/// The function words of a target text and where they come from.
struct FunctionWordChoice {
  metrics::FunctionWords words;
  std::string origin;  ///< "built-in list for de"
};

/// `given`: a language with a built-in list, or a file with a word per line. Empty: the built-in
/// list for the target language of `model`, as app::languages_of() names it, or else the
/// kFrequentWords most frequent words of `lines`. Throws UsageError for anything else, DataError
/// for a file without words.
[[nodiscard]] FunctionWordChoice choose_function_words(const std::string& given,
                                                       const LoadedModel& model,
                                                       const std::vector<std::string>& lines);

}  // namespace attend::app
