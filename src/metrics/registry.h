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

/// The options of all metrics. `lowercase` overrides that of `bleu` and `chrf`, and
/// `sentence_level` overrides `bleu.effective_order`. TER ignores case unless `ter.case_sensitive`
/// is set.
struct MetricOptions {
  bool lowercase = false;
  bool sentence_level = false;  ///< use the metrics' variants for single lines
  BleuOptions bleu = {};
  ChrfOptions chrf = {};
  TerTokenization ter = {};
};

/// Creates the metric `name` ("bleu", "chrf", "ter", "exact", "length"). Throws UsageError for an
/// unknown name, listing the choices, and for invalid options.
[[nodiscard]] std::unique_ptr<Metric> make_metric(std::string_view name,
                                                  const MetricOptions& options);

/// All names, for help texts.
[[nodiscard]] std::vector<std::string> metric_names();

}  // namespace attend::metrics
