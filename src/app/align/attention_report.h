#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "align/attention_statistics.h"
#include "app/model/loaded_model.h"
#include "data/pair_reader.h"

namespace attend::app {

/// Statistics of one head, or of the mean of the heads of a layer.
struct HeadStatistics {
  std::string kind;       ///< one of align::attention_kind_names()
  std::size_t layer = 0;  ///< from 1
  std::size_t head = 0;   ///< from 1; 0: the mean of several
  align::AttentionStatistics statistics;
};

/// Statistics of a model's attention over a text.
struct AttentionSurvey {
  align::AttentionStatistics shown;   ///< of the attention to the source that the model shows
  std::vector<HeadStatistics> heads;  ///< all heads, sorted by kind, layer and head
};

/// Decodes the pairs of `files` with the model and collects its attention by piece. Throws
/// UsageError for a model without attention, DataError for files of different length.
[[nodiscard]] AttentionSurvey attention_survey(const LoadedModel& model,
                                               const data::PairFiles& files);

/// The statistics as text: one line per number of the shown attention, and a table of the heads if
/// there are several.
[[nodiscard]] std::string attention_report(const AttentionSurvey& survey);

}  // namespace attend::app
