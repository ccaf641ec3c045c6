#pragma once
#include <cstddef>
#include <vector>

#include "align/error_rate.h"
#include "align/link_file.h"
#include "app/align/alignment_model.h"
#include "app/model/loaded_model.h"
#include "data/options.h"

namespace attend::app {

/// One way to read a model's attention, with the counts of its links against gold links.
struct JudgedMap {
  decode::CrossMap map;
  std::size_t shift = 0;
  align::LinkCounts counts;
};

/// Pairs with gold links.
struct GoldPairs {
  const data::PairFiles& files;
  const align::LinkFile& gold;
  align::Judge judge = align::Judge::kAll;
  bool turned = false;  ///< the model translates from target to source
};

/// Reads links from the mean and each head of every layer (or only of the layer in reading.map),
/// with shifts 0 and 1 (or only reading.shift), and compares them with the gold links. Requires:
/// the model has attention to the source.
[[nodiscard]] std::vector<JudgedMap> judge_maps(const LoadedModel& model,
                                                const AlignmentReading& reading,
                                                const GoldPairs& pairs);

/// The entry with the lowest error rate. The first one wins a tie. Requires: at least one entry.
[[nodiscard]] const JudgedMap& best_map(const std::vector<JudgedMap>& judged);

/// `reading` with the map and shift of the best entry of judge_maps(). Logs all error rates. Throws
/// UsageError if the model has no such layer.
[[nodiscard]] AlignmentReading best_reading(const LoadedModel& model,
                                            const AlignmentReading& reading,
                                            const GoldPairs& pairs);

}  // namespace attend::app
