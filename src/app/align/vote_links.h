#pragma once
#include <optional>
#include <string>
#include <vector>

#include "align/error_rate.h"
#include "app/align/word_link_output.h"
#include "app/lines/line_meter.h"
#include "data/options.h"

namespace attend::app {

/// A request to join links or weights from several files.
struct VoteOptions {
  static constexpr float kThreshold = 0.5F;  ///< without `threshold` and gold links

  data::PairFiles files;           ///< the text that the votes belong to
  std::vector<std::string> votes;  ///< as for VoteFiles
  /// Words are linked if their mean weight over the files is at least this. Unset: of 0.01, 0.02,
  /// ..., 1, the value with the lowest error rate against output.gold; the largest of several.
  std::optional<float> threshold;
  WordLinkOptions output;
  ReportProgress report = {};
};

/// Joins the votes and writes one line per pair. Returns the counts against the gold links, if
/// given. Throws what VoteFiles throws, DataError for gold links that do not belong to the pairs,
/// and UsageError if the threshold is to be found but the text cannot be read twice.
std::optional<align::LinkCounts> join_votes(const VoteOptions& options);

}  // namespace attend::app
