#pragma once
#include <string>
#include <vector>

#include "cli/loaded_model.h"
#include "cli/search_flags.h"
#include "metrics/metric.h"

namespace attend::cli {

/// Translates a file with a model, or with an ensemble of several.
[[nodiscard]] std::vector<std::string> translate_source(const std::vector<LoadedModel>& models,
                                                        const std::string& source,
                                                        const SearchFlags& flags);

/// How the model sees the pieces of every line's references: one row of
/// metrics::TokenStatistics per line, summed over the references. Throws DataError unless all files
/// have as many lines.
[[nodiscard]] metrics::CorpusStatistics token_statistics(const LoadedModel& model,
                                                         const std::string& source,
                                                         const std::vector<std::string>& references,
                                                         const SearchFlags& flags);

}  // namespace attend::cli
