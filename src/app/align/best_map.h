#pragma once
#include <cstddef>
#include <vector>

#include "align/error_rate.h"
#include "align/link_file.h"
#include "app/align/alignment_model.h"
#include "app/model/loaded_model.h"
#include "data/options.h"

namespace attend::app {

/// One way to read a model's attention, and how its links agree with gold ones.
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
  bool turned = false;  ///< the model is of the other direction
};

/// Judges the links by the mean and by each head of every layer, or of that which reading.map
/// names, of a word's own step and the next, or that which reading.shift names. Requires: the model
/// attends.
[[nodiscard]] std::vector<JudgedMap> judge_maps(const LoadedModel& model,
                                                const AlignmentReading& reading,
                                                const GoldPairs& pairs);

/// The one with the lowest error rate (the first of equals).
[[nodiscard]] const JudgedMap& best_map(const std::vector<JudgedMap>& judged);

/// `reading` with the best of judge_maps(), which are logged.
[[nodiscard]] AlignmentReading best_reading(const LoadedModel& model,
                                            const AlignmentReading& reading,
                                            const GoldPairs& pairs);

}  // namespace attend::app
