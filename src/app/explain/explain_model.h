#pragma once
#include <torch/types.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/explain/attention_sites.h"
#include "app/lines/line_meter.h"
#include "data/options.h"
#include "metrics/resampling.h"

namespace attend::app {

/// The name of the control that has the same config as the model and random parameters.
inline constexpr const char* kRandomControl = "random";

/// A request to measure how far a model's attention explains its decisions.
struct ExplainOptions {
  std::string model;
  std::vector<std::string> controls;  ///< folders of other models, or kRandomControl
  data::PairFiles files;              ///< an empty target: the model's own output
  SiteLevel level = SiteLevel::model;
  std::string function_words;     ///< as for choose_function_words()
  std::size_t samples = 1000;     ///< bootstrap samples
  std::optional<int64_t> seed;    ///< unset: the config's
  std::filesystem::path output;   ///< JSON lines, one per token; empty: none
  std::filesystem::path latex;    ///< LaTeX tables; empty: none
  std::filesystem::path methods;  ///< a paragraph on the methods; empty: none
  std::string program;            ///< name and version, for `methods`
  ReportProgress report = {};
};

/// Measures the model and its controls on the same pairs, writes the requested files and returns
/// the table. Each pair is computed on one thread, so that nothing depends on the number of
/// threads. Throws UsageError for a model without attention, with several sources or with one
/// weight per feature; DataError for files that are empty or differ in length; Stopped after a
/// signal.
[[nodiscard]] std::string explain_model(const ExplainOptions& options, torch::Device device);

}  // namespace attend::app
