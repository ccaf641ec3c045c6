#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "align/error_rate.h"
#include "align/symmetrize.h"
#include "app/align/word_link_output.h"
#include "app/lines/line_meter.h"
#include "data/options.h"

namespace attend::app {

/// A request to align pairs by align::StatisticalAligner, which needs no model.
struct StatisticalPairsOptions {
  /// Words are linked if their weight, averaged over both directions and all stems, is at least
  /// this. The best value on the dev verses of the Bible corpus, where 0.45 to 0.60 are within
  /// 0.0004 of each other.
  static constexpr float kThreshold = 0.5F;

  data::PairFiles files;
  /// The numbers of letters that words are cut to; 0: whole words. Requires: at least one.
  std::vector<int64_t> stems = {0, 5, 4};
  int64_t samplers = 1;  ///< of each direction and number of letters
  int64_t seed = 1;
  /// How to join the links of both directions; unset: all words whose mean weight in both
  /// directions is at least `threshold`.
  std::optional<align::Symmetrization> how;
  std::optional<float> threshold;     ///< with `how`, unset: the largest weight of each word
  std::filesystem::path priors;       ///< links of other text, see link_priors.h; empty: none
  std::filesystem::path save_priors;  ///< where to write those of this text; empty: nowhere
  WordLinkOptions output;
  ReportProgress report = {};
};

/// Aligns the words of all pairs and writes one line per pair; pairs with an empty side or more
/// than NumberedText::kMostWords words on one side have no links. The result does not depend on the
/// number of threads. Compares the links with the gold links, if given, and returns the counts.
/// Throws DataError for files of different length, gold links that do not belong to them, and
/// priors that cannot be read or written.
std::optional<align::LinkCounts> align_statistically(const StatisticalPairsOptions& options);

}  // namespace attend::app
