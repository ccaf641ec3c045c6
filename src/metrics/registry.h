#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "metrics/bleu.h"
#include "metrics/chrf.h"
#include "metrics/metric.h"
#include "metrics/tokenizer/tokenize_ter.h"

namespace attend::metrics {

/// The options of all metrics together. `lowercase` of BLEU and chrF and `bleu.effective_order` are
/// set from the fields here; TER ignores case unless `ter.case_sensitive`.
struct MetricOptions {
  bool lowercase = false;
  bool sentence_level =
      false;  ///< scores of single lines: turns on what metrics do differently there
  BleuOptions bleu = {};
  ChrfOptions chrf = {};
  TerTokenization ter = {};
};

/// The metric of that name ("bleu", "chrf", "ter", "exact", "length"). Throws UsageError that lists
/// the choices, or for options that the metric does not take.
[[nodiscard]] std::unique_ptr<Metric> make_metric(std::string_view name,
                                                  const MetricOptions& options);

/// All names, for help texts.
[[nodiscard]] std::vector<std::string> metric_names();

}  // namespace attend::metrics
