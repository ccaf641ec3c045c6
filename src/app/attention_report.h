#pragma once
#include <string>

#include "align/attention_statistics.h"
#include "app/loaded_model.h"
#include "data/pair_reader.h"

namespace attend::app {

/// Reads the pairs of `files` with the model and looks at its attention, piece by piece. Throws
/// UsageError for a model without attention, DataError for files of different length.
[[nodiscard]] align::AttentionStatistics attention_statistics(const LoadedModel& model,
                                                              const data::PairFiles& files);

/// As text, a line for each number.
[[nodiscard]] std::string attention_report(const align::AttentionStatistics& statistics);

}  // namespace attend::app
