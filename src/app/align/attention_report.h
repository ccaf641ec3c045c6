#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "align/attention_statistics.h"
#include "app/model/loaded_model.h"
#include "data/pair_reader.h"

namespace attend::app {

/// What one head does, or the mean over those of its layer.
struct HeadStatistics {
  std::string kind;       ///< one of align::attention_kind_names()
  std::size_t layer = 0;  ///< from 1
  std::size_t head = 0;   ///< from 1; 0: the mean of several
  align::AttentionStatistics statistics;
};

/// What a model's attention looks like over a text.
struct AttentionSurvey {
  align::AttentionStatistics shown;   ///< what the model shows of its attention to the source
  std::vector<HeadStatistics> heads;  ///< all there are, by kind, layer and head
};

/// Reads the pairs of `files` with the model and looks at its attention, piece by piece. Throws
/// UsageError for a model without attention, DataError for files of different length.
[[nodiscard]] AttentionSurvey attention_survey(const LoadedModel& model,
                                               const data::PairFiles& files);

/// As text, a line for each number of what is shown, and a table of the heads where there are
/// several.
[[nodiscard]] std::string attention_report(const AttentionSurvey& survey);

}  // namespace attend::app
