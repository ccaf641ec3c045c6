#pragma once
#include <torch/types.h>

#include <string>
#include <vector>

#include "app/evaluate/eval_scores.h"
#include "app/translate/line_meter.h"
#include "app/translate/search_overrides.h"
#include "metrics/registry.h"

namespace attend::app {

/// The metrics that ask a model instead of comparing texts.
inline constexpr const char* kLoss = "loss";
inline constexpr const char* kAccuracy = "accuracy";

/// What is held against the references: the translations of models, or files.
struct EvaluationRequest {
  std::vector<std::string> models;  ///< directories, several: an ensemble; empty: hypotheses
  std::string source;               ///< of the models
  SearchOverrides search;           ///< of the models
  std::vector<std::string> hypotheses;
  bool paired = false;  ///< the first file is not held against itself where it comes again
  std::vector<std::string> references;
  std::vector<std::string> metrics;
  metrics::MetricOptions metric_options;
  ReportProgress report = {};  ///< of the models at work
};

/// Throws UsageError for metrics and options of them that there are not, before anything is read.
void check_metrics(const EvaluationRequest& request);

/// The statistics of all metrics for what the models translate on `device`. Throws DataError for
/// files of different length or without lines, ModelFileError.
[[nodiscard]] Evaluation evaluate_models(const EvaluationRequest& request, torch::Device device);

/// The same for files. Requires: no metric asks a model.
[[nodiscard]] Evaluation evaluate_files(const EvaluationRequest& request);

}  // namespace attend::app
