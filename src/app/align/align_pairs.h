#pragma once
#include <torch/types.h>

#include <optional>
#include <string>

#include "align/error_rate.h"
#include "align/link_file.h"
#include "align/symmetrize.h"
#include "app/align/alignment_model.h"
#include "app/align/alignment_output.h"
#include "app/translate/line_meter.h"
#include "data/options.h"

namespace attend::app {

/// A model of the other direction, and how its links join those of the first.
struct ReverseDirection {
  std::string model;
  std::optional<align::Symmetrization> how;  ///< unset: align::mutual_links()
};

/// What `attend align` does with models.
struct AlignPairsOptions {
  std::string model;
  std::optional<ReverseDirection> reverse;
  std::string compared_model;  ///< shown beside the first on the page; empty: none
  data::PairFiles files;
  AlignmentReading reading;
  bool best_map = false;  ///< each model's reading.map and shift are those that agree best with
                          ///< `gold`
  AlignmentChoices output;
  std::string gold;  ///< path; empty: none
  align::Judge judge = align::Judge::kAll;
  ReportProgress report = {};
};

/// Aligns every pair of the files and writes what options.output asks for. Returns the counts of
/// the links against the gold, if there is one. Throws UsageError for a model without attention
/// where attention is needed, DataError for files that do not fit each other and for a gold of no
/// lines.
std::optional<align::LinkCounts> align_pairs(const AlignPairsOptions& options,
                                             torch::Device device);

}  // namespace attend::app
