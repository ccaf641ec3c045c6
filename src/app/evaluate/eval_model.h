#pragma once
#include <string>
#include <vector>

#include "app/lines/line_meter.h"
#include "app/model/loaded_model.h"
#include "app/translate/search_overrides.h"
#include "metrics/metric.h"

namespace attend::app {

/// Translates a file with a model, or with an ensemble of several.
[[nodiscard]] std::vector<std::string> translate_source(const std::vector<LoadedModel>& models,
                                                        const std::string& source,
                                                        const SearchOverrides& overrides,
                                                        const ReportProgress& report);

/// How well the model predicts the pieces of the references: one row of metrics::TokenStatistics
/// per line, summed over its references. Uses only the batch size of `overrides`. Throws DataError
/// for files of different length, UsageError for a batch size out of range or a batch unit without
/// a size.
[[nodiscard]] metrics::CorpusStatistics token_statistics(const LoadedModel& model,
                                                         const std::string& source,
                                                         const std::vector<std::string>& references,
                                                         const SearchOverrides& overrides,
                                                         const ReportProgress& report);

}  // namespace attend::app
