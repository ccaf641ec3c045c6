#pragma once
#include <torch/types.h>

#include <optional>
#include <string>

#include "align/error_rate.h"
#include "align/link_file.h"
#include "align/symmetrize.h"
#include "app/align/alignment_model.h"
#include "app/align/alignment_output.h"
#include "app/lines/line_meter.h"
#include "data/options.h"

namespace attend::app {

/// A target-to-source model, and how to join its links with the source-to-target links.
struct ReverseDirection {
  std::string model;
  std::optional<align::Symmetrization> how;  ///< unset: align::mutual_links()
};

/// A request to align pairs with models.
struct AlignPairsOptions {
  std::string model;
  std::optional<ReverseDirection> reverse;
  std::string compared_model;  ///< second model to show on the page; empty: none
  data::PairFiles files;
  AlignmentReading reading;
  /// Choose each model's map and shift by the lowest error rate against `gold`.
  bool best_map = false;
  AlignmentChoices output;
  std::string gold;  ///< path; empty: none
  align::Judge judge = align::Judge::kAll;
  ReportProgress report = {};
};

/// Aligns every pair of the files and writes options.output. Compares the links with the gold
/// links, if given, and returns the counts. Throws UsageError if a model lacks the attention that
/// it needs, and DataError for files of different length or a gold file without lines.
std::optional<align::LinkCounts> align_pairs(const AlignPairsOptions& options,
                                             torch::Device device);

}  // namespace attend::app
