#pragma once
#include <torch/types.h>

#include <string>
#include <vector>

#include "app/evaluate/eval_scores.h"
#include "app/lines/line_meter.h"
#include "app/translate/search_overrides.h"
#include "metrics/registry.h"

namespace attend::app {

/// The metrics that need a model instead of comparing texts.
inline constexpr const char* kLoss = "loss";
inline constexpr const char* kAccuracy = "accuracy";

/// A request to score translations of models, or files, against references.
struct EvaluationRequest {
  std::vector<std::string> models;  ///< folders, several for an ensemble; empty: score `hypotheses`
  std::string source;               ///< for the models, and for scores by length
  SearchOverrides search;           ///< for the models
  std::vector<std::string> hypotheses;
  bool by_length = false;  ///< fill Evaluation::lengths, from the source or the first reference
  bool paired = false;     ///< skip further occurrences of the first file
  std::vector<std::string> references;
  std::vector<std::string> metrics;
  metrics::MetricOptions metric_options;
  ReportProgress report = {};  ///< called while models run
};

/// Throws UsageError for unknown metrics and options of metrics, before anything is read.
void check_metrics(const EvaluationRequest& request);

/// The statistics of all metrics for translations made on `device`. Throws DataError for files of
/// different length or without lines, and ModelFileError.
[[nodiscard]] Evaluation evaluate_models(const EvaluationRequest& request, torch::Device device);

/// The statistics of all metrics for request.hypotheses. Throws DataError for files of different
/// length or without lines. Requires: no metric needs a model.
[[nodiscard]] Evaluation evaluate_files(const EvaluationRequest& request);

}  // namespace attend::app
